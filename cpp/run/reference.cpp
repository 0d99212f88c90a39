#include "reference.h"

#include <algorithm>
#include <xtensor/core/xmath.hpp>

namespace attnscope {
namespace {

/// What a tensor has of its storage: all of it, or the part that a view takes.
Array part(const Values& storage, const Tensor& view) {
  Array values = Array::from_shape(std::vector<size_t>(view.shape.begin(), view.shape.end()));
  std::copy_n(storage.data() + view.offset, values.size(), values.data());
  return values;
}

}  // namespace

Outputs run_reference(const Graph& graph, const Parameters& parameters, const Inputs& inputs,
                      Keep keep, const Progress& progress) {
  std::vector<Array> values(graph.tensors().size());
  std::vector<bool> present(graph.tensors().size(), false);
  for (size_t id = 0; id < values.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role == Role::kActivation) continue;
    const bool parameter = tensor.role == Role::kParameter;
    // A mask has the shape in which it was given; a part of a stacked input may be given by itself.
    if (!parameter && inputs[id]) {
      values[id] = xt::cast<double>(*inputs[id]);
    } else if (const Values* whole =
                   parameter ? parameters[id] : inputs[static_cast<size_t>(tensor.storage)]) {
      values[id] = part(*whole, tensor);
    } else {
      continue;
    }
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
    const double done = static_cast<double>(&step - graph.steps().data() + 1);
    if (progress) progress(done / static_cast<double>(graph.steps().size()));
  }
  Outputs outputs;
  for (const TensorId id : outputs_of(graph, keep)) {
    outputs.emplace_back(xt::cast<float>(values[static_cast<size_t>(id)]));
  }
  return outputs;
}

}  // namespace attnscope
