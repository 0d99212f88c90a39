#include "reference.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

/// The numbers of this shape that start at `offset` of a tensor.
Array part(const Values& storage, int64_t offset, const std::vector<size_t>& shape) {
  Array values = make_array(shape);
  std::copy_n(storage.data() + offset, values.size(), values.data());
  return values;
}

}  // namespace

void run_reference(const Graph& graph, ReferenceValues& values, const Progress& progress) {
  for (const Step& step : graph.steps()) {
    std::vector<const Array*> operands;
    for (const TensorId id : step.inputs) {
      const std::optional<Array>& operand = values[static_cast<size_t>(id)];
      operands.push_back(operand ? &*operand : nullptr);
    }
    auto made = values.begin() + step.output;
    for (Array& output : step.op->forward_all(operands)) *made++ = std::move(output);
    const double done = static_cast<double>(&step - graph.steps().data() + 1);
    if (progress) progress(done / static_cast<double>(graph.steps().size()));
  }
}

Outputs run_reference(const Graph& graph, const ParameterValues& parameters, const Inputs& inputs,
                      const Keep& keep, const Progress& progress) {
  ReferenceValues values(graph.tensors().size());
  for (size_t id = 0; id < values.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role == Role::kActivation) continue;
    const bool parameter = tensor.role == Role::kParameter;
    // A mask has the shape in which it was given; a part of a stacked input may be given by itself.
    if (!parameter && inputs[id]) {
      values[id] = part(*inputs[id], 0, {inputs[id]->shape().begin(), inputs[id]->shape().end()});
    } else if (const Values* whole = parameter ? &parameters[static_cast<size_t>(tensor.parameter)]
                                               : inputs[static_cast<size_t>(tensor.storage)]) {
      values[id] = part(*whole, tensor.offset, {tensor.shape.begin(), tensor.shape.end()});
    }
  }
  run_reference(graph, values, progress);
  Outputs outputs;
  for (const TensorId id : outputs_of(graph, keep)) {
    const Array& exact = *values[static_cast<size_t>(id)];
    Values& output =
        outputs.emplace_back(make_values(Shape(exact.shape().begin(), exact.shape().end())));
    std::copy(exact.begin(), exact.end(), output.begin());
  }
  return outputs;
}

}  // namespace attnscope
