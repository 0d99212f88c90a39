#include "lowering.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "../ops/broadcast.h"
#include "threads.h"

namespace attnscope {
namespace {

struct Entry {
  const std::type_info* operation;
  Lowering lower = nullptr;
  kernels::Map (*map)(const Op&) = nullptr;
  kernels::MapGradient (*map_gradient)(const Op&) = nullptr;
};

/// An element-wise step by itself.
Fusion mapped(const Site& site, kernels::Map map) {
  Fusion fusion = site.alone({site.input(0)});
  fusion.kernel = [map, count = count_of(site.output_shape()), x = site.input(0),
                   y = site.output()](Workspace& workspace) {
    constexpr int64_t kGrain = 4096;
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(count, kGrain,
                 [&](int64_t begin, int64_t end) { map(from + begin, end - begin, to + begin); });
  };
  return fusion;
}

/// Whether all that a step makes are the numbers of an input, in their order and where they are.
bool has_the_same_numbers(const Step& step) {
  return std::ranges::all_of(step.outputs(), [&](TensorId id) {
    const Aliasing kind = step.alias(id).kind;
    return kind == Aliasing::kReshape || kind == Aliasing::kUnlessTraining;
  });
}

bool does_more(const Fusion& a, const Fusion& b) {
  return a.steps > b.steps || a.earlier > b.earlier;
}

/// Made when the first file registers itself, whichever that is.
std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

}  // namespace

void catalogue::add(const std::type_info& operation, Lowering lower) {
  entries().push_back({&operation, lower});
}

void catalogue::add(const std::type_info& operation, kernels::Map (*map)(const Op&),
                    kernels::MapGradient (*gradient)(const Op&)) {
  entries().push_back({&operation, nullptr, map, gradient});
}

Fusion lower(const Site& site) {
  const Op& op = *site.step().op;
  if (has_the_same_numbers(site.step())) return site.alone(site.step().inputs);  // nothing to do
  Fusion best;
  if (const std::optional<kernels::Map> map = map_of(op)) best = mapped(site, *map);
  for (const Entry& entry : entries()) {
    if (!entry.lower || *entry.operation != typeid(op)) continue;
    if (Fusion fusion = entry.lower(site); does_more(fusion, best)) best = std::move(fusion);
  }
  if (best.steps == 0) {
    throw std::logic_error("no kernel computes " + std::string(op.name()) + " as the step " +
                           site.step().name + " has it");
  }
  return best;
}

std::optional<kernels::Map> map_of(const Op& op) {
  for (const Entry& entry : entries()) {
    if (entry.map && *entry.operation == typeid(op)) return entry.map(op);
  }
  return std::nullopt;
}

kernels::MapGradient map_gradient_of(const Op& op) {
  for (const Entry& entry : entries()) {
    if (entry.map_gradient && *entry.operation == typeid(op)) return entry.map_gradient(op);
  }
  throw std::logic_error("no kernel computes the gradient of " + std::string(op.name()));
}

std::vector<kernels::Map> take_maps(Chain& chain) {
  std::vector<kernels::Map> maps;
  while (const Step* step = chain.alone() ? chain.next() : nullptr) {
    const std::optional<kernels::Map> map = map_of(*step->op);
    if (!map) break;
    maps.push_back(*map);
    chain.advance(*step);
  }
  return maps;
}

const float* sequence_mask(const Workspace& workspace, TensorId mask, const Shape& sequences,
                           int64_t b) {
  const float* start = mask == kNoTensor ? nullptr : workspace.read(mask);
  return start ? start + broadcast_row(workspace.given_shape(mask), sequences, b) : nullptr;
}

}  // namespace attnscope
