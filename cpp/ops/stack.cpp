#include "stack.h"

#include "../graph/gradients.h"
#include "../graph/unroll.h"
#include "concat.h"
#include "split.h"

namespace attnscope {

OpPtr stacking(int dimension, Axis axis) { return make_op<Stack>(dimension, axis); }
OpPtr unbinding(int dimension, int64_t slices) { return make_op<Unbind>(dimension, slices); }

Shape Stack::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  for (const Shape* input : inputs) {
    if (dimension_ > std::ssize(shape) || !fit(*input, shape)) {
      wrong_graph("stack: {} does not fit {} along a new dimension {}",
                  {*input, shape, dimension_});
    }
  }
  shape.insert(shape.begin() + dimension_, {static_cast<int64_t>(inputs.size()), axis_});
  return shape;
}

Array Stack::forward(const std::vector<const Array*>& inputs) const {
  std::vector<Array> slices;
  std::vector<const Array*> pointers;
  slices.reserve(inputs.size());
  for (const Array* input : inputs) {
    std::vector<size_t> shape(input->shape().begin(), input->shape().end());
    shape.insert(shape.begin() + dimension_, 1);
    pointers.push_back(&slices.emplace_back(*input).reshape(shape));
  }
  return Concat(dimension_).forward(pointers);
}

void Stack::gradients(GradientBuilder& step) const {
  const size_t slices = step.inputs().size();
  const TensorId first =
      step.add<Unbind>({step.gradient()}, dimension_, static_cast<int64_t>(slices));
  for (size_t i = 0; i < slices; ++i) {
    if (step.needs(i)) step.give(i, first + static_cast<TensorId>(i));
  }
}

std::string Stack::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() == 1) return format("{}.unsqueeze({})", {inputs[0], dimension_});
  const std::string tensors = tuple_of(inputs);
  return dimension_ == 0 ? format("torch.stack({})", {tensors})
                         : format("torch.stack({}, dim={})", {tensors, dimension_});
}

Shape Unbind::output_shape(const InputShapes& inputs, size_t) const {
  Shape shape = *inputs[0];
  if (dimension_ >= std::ssize(shape) || shape[static_cast<size_t>(dimension_)] != slices_) {
    wrong_graph("unbind: {} has no {} slices along dimension {}", {shape, slices_, dimension_});
  }
  shape.erase(shape.begin() + dimension_);
  return shape;
}

std::vector<Array> Unbind::forward_all(const std::vector<const Array*>& inputs) const {
  std::vector<Array> slices =
      Split(dimension_, std::vector<int64_t>(outputs(), 1)).forward_all(inputs);
  for (Array& slice : slices) {
    std::vector<size_t> shape(slice.shape().begin(), slice.shape().end());
    shape.erase(shape.begin() + dimension_);
    slice.reshape(shape);
  }
  return slices;
}

/// The gradients by the slices put together again, with zeros for slices that have none.
void Unbind::gradients(GradientBuilder& step) const {
  const Axis axis = step.shape(step.input(0))[static_cast<size_t>(dimension_)].axis;
  std::vector<TensorId> parts;
  int64_t before = 0;  // slices without a gradient that come first
  for (size_t i = 0; i < outputs();) {
    std::vector<TensorId> slices;
    int64_t after = 0;
    for (; i < outputs() && step.gradient(i) == kNoTensor && parts.empty(); ++i) ++before;
    for (; i < outputs() && step.gradient(i) != kNoTensor; ++i) slices.push_back(step.gradient(i));
    for (; i < outputs() && step.gradient(i) == kNoTensor; ++i) ++after;
    TensorId part = step.add<Stack>(slices, dimension_, axis);
    if (before > 0 || after > 0) part = step.add<Pad>({part}, dimension_, before, after);
    parts.push_back(part);
    before = 0;
  }
  step.give(0, parts.size() == 1 ? parts[0] : step.add<Concat>(parts, dimension_));
}

std::string Unbind::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return dimension_ == 0 ? format("{}.unbind()", {inputs[0]})
                         : format("{}.unbind({})", {inputs[0], dimension_});
}

}  // namespace attnscope
