#pragma once

// The catalogue of kernels. What joins operations to kernels is in lowering/, a file for each kind,
// and registers itself there when it is loaded.

#include <optional>
#include <typeinfo>

#include "../kernels/map.h"
#include "fusion.h"
#include "workspace.h"

namespace attnscope {

/// Looks whether its kernel can do the step at `site`, and how many of those after it; returns an
/// empty Fusion where it cannot.
using Lowering = Fusion (*)(const Site& site);

namespace catalogue {
void add(const std::type_info& operation, Lowering lower);
void add(const std::type_info& operation, kernels::Map (*map)(const Op& op),
         kernels::MapGradient (*gradient)(const Op& op));
}  // namespace catalogue

/// const Lowered<Softmax> registered(softmax);
template <class Operation>
struct Lowered {
  explicit Lowered(Lowering lower) { catalogue::add(typeid(Operation), lower); }
};

/// The loop of an element-wise operation (ops/elementwise.h), which runs it by itself and within
/// fusions, and that of its gradient, where it has an ElementwiseGradient:
/// const LoweredMap<Scale> registered([](const Scale& op) -> kernels::Map {...});
template <class Operation>
struct LoweredMap {
  template <class Make>
  explicit LoweredMap(Make) {
    catalogue::add(typeid(Operation), made<kernels::Map, Make>, nullptr);
  }
  template <class Make, class MakeGradient>
  LoweredMap(Make, MakeGradient) {
    catalogue::add(typeid(Operation), made<kernels::Map, Make>,
                   made<kernels::MapGradient, MakeGradient>);
  }

 private:
  template <class Loop, class Make>
  static Loop made(const Op& op) {
    return Make()(static_cast<const Operation&>(op));
  }
};

/// The kernel that does most of the steps from this one on. Throws std::logic_error where none does
/// even this one.
Fusion lower(const Site& site);

/// The loop of an element-wise operation; nothing for any other.
std::optional<kernels::Map> map_of(const Op& op);

/// The loop of its gradient. Throws std::logic_error where it has none.
kernels::MapGradient map_gradient_of(const Op& op);

/// Takes the element-wise steps that follow.
std::vector<kernels::Map> take_maps(Chain& chain);

/// Where the mask of sequence `b` starts, in a mask that broadcasts to `sequences`, which is
/// (batch, seq_len); nullptr where there is no mask.
const float* sequence_mask(const Workspace& workspace, TensorId mask, const Shape& sequences,
                           int64_t b);

}  // namespace attnscope
