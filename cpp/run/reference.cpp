#include "reference.h"

#include <xtensor/core/xmath.hpp>

namespace attnscope {

Outputs run_reference(const Graph& graph, const Parameters& parameters, const Inputs& inputs) {
  std::vector<Array> values(graph.tensors().size());
  std::vector<bool> present(graph.tensors().size(), false);
  for (size_t id = 0; id < values.size(); ++id) {
    const Role role = graph.tensors()[id].role;
    const Values* given = role == Role::kParameter ? &parameters[id] : inputs[id];
    if (role == Role::kActivation || !given) continue;
    values[id] = xt::cast<double>(*given);
    present[id] = true;
  }
  for (const Step& step : graph.steps()) {
    std::vector<const Array*> operands;
    for (const TensorId id : step.inputs) {
      operands.push_back(present[static_cast<size_t>(id)] ? &values[static_cast<size_t>(id)]
                                                          : nullptr);
    }
    values[static_cast<size_t>(step.output)] = step.op->forward(operands);
    present[static_cast<size_t>(step.output)] = true;
  }
  Outputs outputs;
  for (const Result& result : graph.results()) {
    outputs.emplace_back(xt::cast<float>(values[static_cast<size_t>(result.tensor)]));
  }
  return outputs;
}

}  // namespace attnscope
