#include "concat.h"

#include <algorithm>
#include <stdexcept>

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

std::string Concat::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  std::string text;
  for (const std::string& input : inputs) text += (text.empty() ? "" : ", ") + input;
  return format("torch.cat(({}), dim={})", {text, dimension_});
}

Shape Slice::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (begin_ < 0 || begin_ >= end_ || end_ > shape.back()) {
    wrong_graph("slice: {} has no features {} to {}", {shape, begin_, end_});
  }
  shape.back().size = end_ - begin_;
  return shape;
}

Array Slice::forward(const std::vector<const Array*>& inputs) const {
  std::vector<size_t> shape = sizes(*inputs[0]);
  const size_t from = shape.back(), length = static_cast<size_t>(end_ - begin_);
  shape.back() = length;
  Array y = make_array(shape);
  for (size_t row = 0; row < y.size() / length; ++row) {
    std::copy_n(inputs[0]->data() + row * from + static_cast<size_t>(begin_), length,
                y.data() + row * length);
  }
  return y;
}

std::string Slice::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}[..., {}:{}]{}", {inputs[0], begin_, end_, copied_ ? ".clone()" : ""});
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

std::string AppendZeros::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("F.pad({}, (0, 0, 0, 1))", {inputs[0]});
}

}  // namespace attnscope
