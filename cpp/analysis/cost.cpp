#include "cost.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

StepCost step_cost(const Graph& graph, const Step& step, int element_bytes) {
  const Shape& first = graph.tensor(step.output).shape;
  StepCost cost{.operations = step.op->cost(graph.input_shapes(step), first)};
  Count moved = 0;
  bool only_views = true;
  for (const TensorId id : step.outputs()) {
    const Aliasing kind = step.alias(id).kind;
    const bool made = kind == Aliasing::kNone;
    if (made || kind == Aliasing::kInPlace) moved += elements(graph.tensor(id).shape);
    only_views = only_views && !made;
  }
  for (const TensorId id : step.inputs) {
    const Tensor& input = graph.tensor(id);
    if (input.role == Role::kOptionalInput || step.op->is_constant()) continue;
    const Count count = elements(input.shape);
    if (input.role == Role::kParameter) cost.parameters += count;
    moved += count;
  }
  if (!only_views) cost.bytes_moved = product({moved, element_bytes});
  return cost;
}

PartCost& part_named(std::vector<PartCost>& parts, std::string_view name) {
  const auto known = std::find_if(parts.begin(), parts.end(),
                                  [&name](const PartCost& one) { return one.part == name; });
  return known != parts.end() ? *known : parts.emplace_back(PartCost{std::string(name), {}});
}

}  // namespace

StepCost& StepCost::operator+=(const StepCost& other) {
  parameters = sum(parameters, other.parameters);
  operations += other.operations;
  bytes_moved = sum(bytes_moved, other.bytes_moved);
  return *this;
}

StepCost StepCost::repeated(int64_t times, int64_t places) const {
  return {product({places, parameters}), operations.times(times), product({times, bytes_moved})};
}

LayerCost cost(const std::vector<Row>& rows, Dtype dtype) {
  LayerCost layer;
  layer.steps.reserve(rows.size());
  std::vector<std::pair<const Graph*, TensorId>> seen;  // parameters
  for (const Row& row : rows) {
    StepCost cost = step_cost(row.graph, row.step, bytes_per_element(dtype));
    layer.steps.push_back(cost);
    cost.parameters = 0;
    for (const TensorId id : row.step.inputs) {
      const Tensor& input = row.graph.tensor(id);
      if (input.role != Role::kParameter) continue;
      const std::pair parameter{&row.graph, input.storage};
      if (std::find(seen.begin(), seen.end(), parameter) != seen.end()) continue;
      seen.push_back(parameter);
      cost.parameters = sum(cost.parameters, elements(row.graph.tensor(input.storage).shape));
    }
    cost = cost.repeated(row.times, row.places);
    part_named(layer.parts, row.step.part).cost += cost;
    layer.total += cost;
  }
  return layer;
}

}  // namespace attnscope
