#include "graph.h"

#include <utility>

namespace attnscope {

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

TensorId Graph::add_tensor(Tensor tensor) {
  const TensorId id = static_cast<TensorId>(tensors_.size());
  if (tensor.storage == kNoTensor) tensor.storage = id;
  tensors_.push_back(std::move(tensor));
  return id;
}

TensorId Graph::add_input(std::string name, Shape shape, Role role) {
  return add_tensor({std::move(name), std::move(shape), role, kNoTensor, {}});
}

int Graph::add_module(std::string name, std::string constructor) {
  modules_.push_back({std::move(name), std::move(constructor), {}});
  return static_cast<int>(modules_.size()) - 1;
}

TensorId Graph::add_parameter(int module, std::string_view name, Shape shape, Init init) {
  Module& owner = modules_[static_cast<size_t>(module)];
  const TensorId id = add_tensor(
      {owner.name + "." + std::string(name), std::move(shape), Role::kParameter, kNoTensor, init});
  owner.parameters.push_back(id);
  return id;
}

TensorId Graph::add_step(std::string name, std::string part, std::shared_ptr<const Op> op,
                         std::vector<TensorId> inputs, std::string output, int module) {
  Step step{std::move(name), std::move(part), std::move(op), std::move(inputs), kNoTensor, module};
  Tensor made{std::move(output),
              step.op->output_shape(input_shapes(step, true)),
              Role::kActivation,
              kNoTensor,
              {}};
  if (step.op->aliasing() != Aliasing::kNone) made.storage = tensor(step.inputs[0]).storage;
  step.output = add_tensor(std::move(made));
  steps_.push_back(std::move(step));
  return steps_.back().output;
}

void Graph::add_result(std::string name, TensorId tensor) {
  results_.push_back({std::move(name), tensor});
}

InputShapes Graph::input_shapes(const Step& step, bool with_optional) const {
  InputShapes shapes;
  shapes.reserve(step.inputs.size());
  for (const TensorId id : step.inputs) {
    const Tensor& input = tensor(id);
    const bool present = with_optional || input.role != Role::kOptionalInput;
    shapes.push_back(present ? &input.shape : nullptr);
  }
  return shapes;
}

}  // namespace attnscope
