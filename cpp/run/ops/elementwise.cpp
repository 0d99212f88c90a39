// Operations on single elements: activations, sums, products, factors.

#include <algorithm>
#include <string_view>
#include <utility>

#include "../../kernels/activation.h"
#include "../../kernels/rows.h"
#include "../../ops/arithmetic.h"
#include "../../ops/broadcast.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 4096;

/// A kernel that gets runs of the input and of the output.
template <class Work>
Kernel map_kernel(const Site& site, Work work) {
  return [count = count_of(site.output_shape()), x = site.input(0), y = site.step.output,
          work](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(count, kGrain,
                 [&](int64_t begin, int64_t end) { work(from + begin, end - begin, to + begin); });
  };
}

}  // namespace

MapFunction activation_function(const Op& op) {
  constexpr std::pair<std::string_view, MapFunction> kFunctions[] = {
      {"tanh", kernels::tanh}, {"relu", kernels::relu},           {"sigmoid", kernels::sigmoid},
      {"gelu", kernels::gelu}, {"gelu_tanh", kernels::gelu_tanh}, {"silu", kernels::silu}};
  for (const auto& [name, function] : kFunctions) {
    if (op.name() == name) return function;
  }
  return nullptr;
}

Kernel activation_kernel(const Site& site) {
  return map_kernel(site, activation_function(*site.step.op));
}

Kernel scale_kernel(const Site& site) {
  const float factor = static_cast<float>(site.op<Scale>().factor());
  return map_kernel(site, [factor](const float* from, int64_t count, float* to) {
    kernels::scale(from, factor, count, to);
  });
}

Kernel add_kernel(const Site& site) {
  const Shape& whole = site.output_shape();
  const Shape& part = site.input_shape(1);
  const int64_t length = whole.back(), rows = count_of(whole) / length;
  const bool one_a_row = part.back() != length;  // 1, for every feature
  return [=, a = site.input(0), b = site.input(1), y = site.step.output](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* to = workspace.write(y);
    parallel_for(rows, std::max<int64_t>(1, kGrain / length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* added = right + broadcast_row(part, whole, row);
        const float* from = left + row * length;
        float* out = to + row * length;
        if (one_a_row) {
          for (int64_t i = 0; i < length; ++i) out[i] = from[i] + *added;
        } else {
          kernels::add(from, added, length, out);
        }
      }
    });
  };
}

Kernel multiply_kernel(const Site& site) {
  return [count = count_of(site.output_shape()), a = site.input(0), b = site.input(1),
          y = site.step.output](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* to = workspace.write(y);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      kernels::multiply(left + begin, right + begin, end - begin, to + begin);
    });
  };
}

}  // namespace attnscope
