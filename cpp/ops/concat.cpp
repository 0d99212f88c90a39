#include "concat.h"

#include <algorithm>
#include <stdexcept>

#include "../graph/gradients.h"
#include "reshape.h"

namespace attnscope {
namespace {

std::vector<size_t> sizes(const Array& array) {
  return std::vector<size_t>(array.shape().begin(), array.shape().end());
}

/// Elements of one index of the dimensions before `dimension`.
size_t run_length(const Array& array, size_t dimension) {
  size_t length = 1;
  for (size_t d = dimension; d < array.dimension(); ++d) length *= array.shape(d);
  return length;
}

}  // namespace

Shape Concat::output_shape(const InputShapes& inputs) const {
  const size_t along = static_cast<size_t>(dimension_);
  Shape shape = *inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    Shape next = *inputs[i];
    const bool same_rank = next.size() == shape.size() && along < shape.size();
    int64_t length = 0;
    if (same_rank) length = std::exchange(next[along].size, shape[along].size);
    if (!fit(next, shape)) {
      wrong_graph("concat: {} does not fit {} along dimension {}",
                  {*inputs[i], *inputs[0], dimension_});
    }
    shape[along].size += length;
  }
  return shape;
}

Array Concat::forward(const std::vector<const Array*>& inputs) const {
  const size_t along = static_cast<size_t>(dimension_);
  std::vector<size_t> shape = sizes(*inputs[0]);
  shape[along] = 0;
  for (const Array* input : inputs) shape[along] += input->shape(along);
  Array y = make_array(shape);
  const size_t whole = run_length(y, along);
  size_t at = 0;
  for (const Array* input : inputs) {
    const size_t length = run_length(*input, along);
    for (size_t run = 0; run < y.size() / whole; ++run) {
      std::copy_n(input->data() + run * length, length, y.data() + run * whole + at);
    }
    at += length;
  }
  return y;
}

std::string tuple_of(const std::vector<std::string>& tensors) {
  std::string text;
  for (const std::string& tensor : tensors) text += (text.empty() ? "" : ", ") + tensor;
  return format("({})", {text});
}

std::string Concat::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("torch.cat({}, dim={})", {tuple_of(inputs), dimension_});
}

void Concat::gradients(GradientBuilder& step) const {
  int64_t begin = 0;
  for (size_t i = 0; i < step.inputs().size(); ++i) {
    const int64_t end = begin + step.shape(step.input(i))[static_cast<size_t>(dimension_)];
    if (step.needs(i)) step.give(i, step.add<Slice>({step.gradient()}, dimension_, begin, end));
    begin = end;
  }
}

Shape Slice::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  const size_t along = dimension(shape.size());
  if (along >= shape.size() || begin_ < 0 || end_ <= begin_ || end_ > shape[along]) {
    wrong_graph("slice: {} has no indices {} to {} in dimension {}", {shape, begin_, end_, along});
  }
  shape[along].size = end_ - begin_;
  return shape;
}

Array Slice::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  std::vector<size_t> shape = sizes(x);
  const size_t along = dimension(shape.size());
  shape[along] = static_cast<size_t>(end_ - begin_);
  Array y = make_array(shape);
  const size_t from = run_length(x, along), length = run_length(y, along);
  const size_t first = from / x.shape(along) * static_cast<size_t>(begin_);
  for (size_t run = 0; run < y.size() / length; ++run) {
    std::copy_n(x.data() + run * from + first, length, y.data() + run * length);
  }
  return y;
}

void Slice::gradients(GradientBuilder& step) const {
  const Shape shape = step.shape(step.input(0));
  const size_t along = dimension(shape.size());
  step.give(0,
            step.add<Pad>({step.gradient()}, static_cast<int>(along), begin_, shape[along] - end_));
}

std::string Slice::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  std::string before = dimension_ == kLast ? "..., " : "";
  for (int i = 0; i < dimension_; ++i) before += ":, ";
  const std::string begin = begin_ == 0 ? "" : std::to_string(begin_);
  return format("{}[{}{}:{}]{}", {inputs[0], before, begin, end_, copied_ ? ".clone()" : ""});
}

Shape Pad::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (static_cast<size_t>(dimension_) >= shape.size()) {
    wrong_graph("pad: {} has no dimension {}", {shape, dimension_});
  }
  shape[static_cast<size_t>(dimension_)].size += before_ + after_;
  return shape;
}

Array Pad::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t along = static_cast<size_t>(dimension_);
  std::vector<size_t> shape = sizes(x);
  shape[along] += static_cast<size_t>(before_ + after_);
  Array y = make_array(shape);
  y.fill(0.0);
  const size_t length = run_length(x, along), whole = run_length(y, along);
  const size_t first = whole / shape[along] * static_cast<size_t>(before_);
  for (size_t run = 0; run < x.size() / length; ++run) {
    std::copy_n(x.data() + run * length, length, y.data() + run * whole + first);
  }
  return y;
}

void Pad::gradients(GradientBuilder& step) const {
  const int64_t length = step.shape(step.input(0))[static_cast<size_t>(dimension_)];
  step.give(0, step.add<Slice>({step.gradient()}, dimension_, before_, before_ + length));
}

std::string Pad::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("pad({}, {}, {}, {})", {inputs[0], dimension_, before_, after_});
}

Shape FirstPosition::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 3) wrong_graph("first_position: {} has no positions", {x});
  return {x[0], x[2]};
}

Array FirstPosition::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), T = x.shape(1), E = x.shape(2);
  Array y = make_array({B, E});
  for (size_t b = 0; b < B; ++b) std::copy_n(x.data() + b * T * E, E, y.data() + b * E);
  return y;
}

void FirstPosition::gradients(GradientBuilder& step) const {
  const Shape x = step.shape(step.input(0));
  const TensorId first = step.add<Reshape>({step.gradient()}, Shape{x[0], {1, x[1].axis}, x[2]});
  step.give(0, step.add<Pad>({first}, 1, 0, x[1] - 1));
}

std::string FirstPosition::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}[:, 0]", {inputs[0]});
}

Shape AppendRow::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (shape.size() != 3 || !fit(*inputs[1], Shape{1, 1, shape[2]})) {
    wrong_graph("append_row: {} does not fit {}", {*inputs[1], shape});
  }
  ++shape[1].size;
  return shape;
}

Array AppendRow::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), S = x.shape(1), E = x.shape(2);
  Array y = make_array({B, S + 1, E});
  for (size_t b = 0; b < B; ++b) {
    std::copy_n(x.data() + b * S * E, S * E, y.data() + b * (S + 1) * E);
    std::copy_n(inputs[1]->data(), E, y.data() + (b * (S + 1) + S) * E);
  }
  return y;
}

void AppendRow::gradients(GradientBuilder& step) const {
  const int64_t length = step.shape(step.input(0))[1];
  if (step.needs(0)) step.give(0, step.add<Slice>({step.gradient()}, 1, 0, length));
  if (!step.needs(1)) return;
  const TensorId rows = step.add<Slice>({step.gradient()}, 1, length, length + 1);
  step.give(1, step.add<SumTo>({rows}, step.shape(step.input(1))));
}

std::string AppendRow::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("torch.cat(({}, {}.expand({}.size(0), -1, -1)), dim=1)",
                {inputs[0], inputs[1], inputs[0]});
}

Shape AppendZeros::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (shape.size() != 4) {
    wrong_graph("append_zeros: {} has no heads", {shape});
  }
  ++shape[2].size;
  return shape;
}

Array AppendZeros::forward(const std::vector<const Array*>& inputs) const {
  std::vector<size_t> shape = sizes(*inputs[0]);
  const size_t length = shape[2]++ * shape[3];
  Array y = make_array(shape);
  y.fill(0.0);
  for (size_t head = 0; head < shape[0] * shape[1]; ++head) {
    std::copy_n(inputs[0]->data() + head * length, length, y.data() + head * (length + shape[3]));
  }
  return y;
}

void AppendZeros::gradients(GradientBuilder& step) const {
  step.give(0, step.add<Slice>({step.gradient()}, 2, 0, step.shape(step.input(0))[2].size));
}

std::string AppendZeros::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("F.pad({}, (0, 0, 0, 1))", {inputs[0]});
}

}  // namespace attnscope
