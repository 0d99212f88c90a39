#include "graph.h"

#include <stdexcept>
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

TensorId Graph::add_input(Text name, Shape shape, Role role) {
  return add_tensor({.name = name.string(), .shape = std::move(shape), .role = role});
}

TensorId Graph::add_integer_input(Text name, Shape shape, int64_t limit) {
  return add_tensor(
      {.name = name.string(), .shape = std::move(shape), .role = Role::kInput, .limit = limit});
}

int Graph::add_module(Text name, Text constructor) {
  modules_.push_back({name.string(), constructor.string(), {}, open_block_});
  return static_cast<int>(modules_.size()) - 1;
}

TensorId Graph::add_parameter(int module, Text name, Shape shape) {
  Module& owner = modules_[static_cast<size_t>(module)];
  const TensorId id =
      add_tensor({.name = format("{}{}{}", {owner.name, owner.name.empty() ? "" : ".", name}),
                  .shape = std::move(shape),
                  .role = Role::kParameter,
                  .block = owner.block});
  owner.parameters.push_back(id);
  return id;
}

TensorId Graph::add_parameter(int module, Text name, Shape shape, Init init) {
  const TensorId id = add_parameter(module, name, std::move(shape));
  draw(id, init);
  return id;
}

TensorId Graph::add_rows(TensorId parameter, int64_t begin, int64_t end) {
  const Tensor& whole = tensor(parameter);
  Tensor rows = whole;
  rows.name += format("[{}:{}]", {begin, end});
  rows.shape[0] = end - begin;
  rows.storage = parameter;
  rows.offset = begin * static_cast<int64_t>(elements(whole.shape) / whole.shape[0]);
  return add_tensor(std::move(rows));
}

void Graph::inherit(Text base, Text arguments) {
  base_ = base.string();
  base_arguments_ = arguments.string();
}

TensorId Graph::add_step(Text name, Text part, const OpPtr& op, Ids inputs, Text output,
                         int module) {
  Step step{name.string(), part.string(), op, {inputs.begin(), inputs.end()},
            kNoTensor,     module,        {}};
  Tensor made{.name = output.string(),
              .shape = step.op->output_shape(input_shapes(step, true)),
              .block = open_block_};
  if (step.op->aliasing() != Aliasing::kNone) {
    const Tensor& viewed = tensor(step.inputs[0]);
    made.storage = viewed.storage;
    made.offset = viewed.offset;
  }
  step.output = add_tensor(std::move(made));
  steps_.push_back(std::move(step));
  return steps_.back().output;
}

void Graph::add_result(Text name, TensorId tensor) { results_.push_back({name.string(), tensor}); }

void Graph::begin_block(Text name, Text class_name, int64_t times, TensorId carried_in) {
  if (open_block_ != kNoBlock) wrong_graph("block {} is inside another", {name});
  open_block_ = static_cast<int>(blocks_.size());
  blocks_.push_back({.name = name.string(),
                     .class_name = class_name.string(),
                     .times = times,
                     .carried_in = carried_in,
                     .first_step = steps_.size()});
}

void Graph::end_block(TensorId carried_out) {
  Block& block = blocks_.back();
  block.carried_out = carried_out;
  block.end_step = steps_.size();
  if (tensor(carried_out).shape != tensor(block.carried_in).shape) {
    wrong_graph("block {} makes {} of {}",
                {block.name, tensor(carried_out).shape, tensor(block.carried_in).shape});
  }
  open_block_ = kNoBlock;
}

TensorId Graph::add_repeated_input(Text name, const Shape& shape) {
  if (open_block_ == kNoBlock) return add_input(name, shape);
  Shape stacked = shape;
  stacked.insert(stacked.begin(), blocks_.back().times);
  const TensorId all = add_input(format("{}s", {name}), std::move(stacked));
  return add_tensor({.name = name.string(),
                     .shape = shape,
                     .role = Role::kInput,
                     .storage = all,
                     .block = open_block_});
}

std::vector<TensorId> Graph::inputs() const {
  std::vector<TensorId> inputs;
  for (size_t index = 0; index < tensors_.size(); ++index) {
    const TensorId id = static_cast<TensorId>(index);
    const Role role = tensors_[index].role;
    const bool given = role == Role::kInput || role == Role::kOptionalInput;
    if (given && tensors_[index].storage == id) inputs.push_back(id);
  }
  return inputs;
}

const Block* Graph::block_of(TensorId id) const {
  const int block = tensor(id).block;
  return block == kNoBlock ? nullptr : &blocks_[static_cast<size_t>(block)];
}

int64_t Graph::times(TensorId id) const {
  const Block* block = block_of(id);
  return block ? block->times : 1;
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
