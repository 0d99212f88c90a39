#include "reshape.h"

#include "../graph/gradients.h"
#include "broadcast.h"

namespace attnscope {
namespace {

std::vector<size_t> sizes(const Shape& shape) {
  return std::vector<size_t>(shape.begin(), shape.end());
}

/// visit(index in the larger, index in the smaller) for each number of `to`, to which `from`
/// broadcasts.
template <class Visit>
void each_broadcast(const Shape& from, const Shape& to, Visit visit) {
  const int64_t length = to.back(), step = from.back() == 1 ? 0 : 1;
  for (int64_t row = 0; row < static_cast<int64_t>(elements(to)) / length; ++row) {
    const int64_t start = broadcast_row(from, to, row);
    for (int64_t i = 0; i < length; ++i) visit(row * length + i, start + i * step);
  }
}

Shape shape_of(const Array& array) { return Shape(array.shape().begin(), array.shape().end()); }

}  // namespace

Shape Reshape::output_shape(const InputShapes& inputs) const {
  if (elements(*inputs[0]) != elements(shape_)) {
    wrong_graph("reshape: {} is not as large as {}", {*inputs[0], shape_});
  }
  return shape_;
}

Array Reshape::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  y.reshape(sizes(shape_));
  return y;
}

void Reshape::gradients(GradientBuilder& step) const {
  step.give(0, step.add<Reshape>({step.gradient()}, step.shape(step.input(0))));
}

std::string Reshape::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.reshape{}", {inputs[0], shape_});
}

Shape SumTo::output_shape(const InputShapes& inputs) const {
  if (!broadcasts_to(shape_, *inputs[0])) {
    wrong_graph("sum_to: {} does not broadcast to {}", {shape_, *inputs[0]});
  }
  return shape_;
}

Cost SumTo::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kAddition, elements(*inputs[0])}};
}

Array SumTo::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  Array y = make_array(sizes(shape_));
  y.fill(0.0);
  each_broadcast(shape_, shape_of(x),
                 [&](int64_t from, int64_t to) { y.data()[to] += x.data()[from]; });
  return y;
}

void SumTo::gradients(GradientBuilder& step) const {
  step.give(0, step.add<Expand>({step.gradient()}, step.shape(step.input(0))));
}

std::string SumTo::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.sum_to_size({})", {inputs[0], shape_});
}

Shape Expand::output_shape(const InputShapes& inputs) const {
  if (!broadcasts_to(*inputs[0], shape_)) {
    wrong_graph("expand: {} does not broadcast to {}", {*inputs[0], shape_});
  }
  return shape_;
}

Array Expand::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  Array y = make_array(sizes(shape_));
  each_broadcast(shape_of(x), shape_,
                 [&](int64_t to, int64_t from) { y.data()[to] = x.data()[from]; });
  return y;
}

void Expand::gradients(GradientBuilder& step) const {
  step.give(0, step.add<SumTo>({step.gradient()}, step.shape(step.input(0))));
}

std::string Expand::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.expand{}", {inputs[0], shape_});
}

}  // namespace attnscope
