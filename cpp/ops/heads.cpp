#include "heads.h"

#include <algorithm>
#include <stdexcept>

#include "../graph/gradients.h"
#include "arithmetic.h"
#include "reshape.h"

namespace attnscope {

Shape SplitHeads::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 3 || x[2] % num_heads_ != 0) {
    wrong_graph("split_heads: {} has no {} heads", {x, num_heads_});
  }
  return {x[0], num_heads_, x[1], {x[2] / num_heads_, Axis::kHeadFeature}};
}

Array SplitHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), T = x.shape(1), H = static_cast<size_t>(num_heads_),
               D = x.shape(2) / H;
  Array y = make_array({B, H, T, D});
  for (size_t b = 0; b < B; ++b) {
    for (size_t h = 0; h < H; ++h) {
      for (size_t t = 0; t < T; ++t) {
        for (size_t d = 0; d < D; ++d) y(b, h, t, d) = x(b, t, h * D + d);
      }
    }
  }
  return y;
}

void SplitHeads::gradients(GradientBuilder& step) const {
  step.give(0, step.add(shared_op<MergeHeads>(), {step.gradient()}));
}

std::string SplitHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (num_heads_ == 1) return format("{}.unsqueeze(1)", {inputs[0]});
  return format("{}.unflatten(-1, ({}, -1)).transpose(1, 2)", {inputs[0], num_heads_});
}

Shape MergeHeads::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 4) wrong_graph("merge_heads: {} has no heads", {x});
  return {x[0], x[2], {x[1] * x[3], Axis::kFeature}};
}

Array MergeHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), H = x.shape(1), T = x.shape(2), D = x.shape(3);
  Array y = make_array({B, T, H * D});
  for (size_t b = 0; b < B; ++b) {
    for (size_t h = 0; h < H; ++h) {
      for (size_t t = 0; t < T; ++t) {
        for (size_t d = 0; d < D; ++d) y(b, t, h * D + d) = x(b, h, t, d);
      }
    }
  }
  return y;
}

void MergeHeads::gradients(GradientBuilder& step) const {
  step.give(0, step.add<SplitHeads>({step.gradient()}, step.shape(step.input(0))[1]));
}

std::string MergeHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.transpose(1, 2).flatten(2)", {inputs[0]});
}

Shape RepeatHeads::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (shape.size() != 4) wrong_graph("repeat_heads: {} has no heads", {shape});
  shape[1] = {shape[1] * times_, Axis::kHead};
  return shape;
}

Array RepeatHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t times = static_cast<size_t>(times_), size = x.shape(2) * x.shape(3);
  Array y = make_array({x.shape(0), x.shape(1) * times, x.shape(2), x.shape(3)});
  for (size_t head = 0; head < y.size() / size; ++head) {
    std::copy_n(x.data() + head / times * size, size, y.data() + head * size);
  }
  return y;
}

void RepeatHeads::gradients(GradientBuilder& step) const {
  const Shape x = step.shape(step.input(0));
  const TensorId groups =
      step.add<Reshape>({step.gradient()}, Shape{x[0], x[1], times_, x[2], x[3]});
  const TensorId sums = step.add<SumTo>({groups}, Shape{x[0], x[1], 1, x[2], x[3]});
  step.give(0, step.add<Reshape>({sums}, x));
}

std::string RepeatHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.repeat_interleave({}, dim=1)", {inputs[0], times_});
}

Shape MeanHeads::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 4) wrong_graph("mean_heads: {} has no heads", {x});
  return {x[0], x[2], x[3]};
}

Cost MeanHeads::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kAddition, elements(*inputs[0])}};
}

Array MeanHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), H = x.shape(1), size = x.shape(2) * x.shape(3);
  Array y = make_array({B, x.shape(2), x.shape(3)});
  y.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    for (size_t h = 0; h < H; ++h) {
      for (size_t i = 0; i < size; ++i) y.data()[b * size + i] += x.data()[(b * H + h) * size + i];
    }
  }
  for (double& value : y) value /= static_cast<double>(H);
  return y;
}

void MeanHeads::gradients(GradientBuilder& step) const {
  const Shape x = step.shape(step.input(0));
  const TensorId each = step.add<Scale>({step.gradient()}, 1.0 / static_cast<double>(x[1].size));
  const TensorId one = step.add<Reshape>({each}, Shape{x[0], {1, x[1].axis}, x[2], x[3]});
  step.give(0, step.add<Expand>({one}, x));
}

std::string MeanHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.mean(dim=1)", {inputs[0]});
}

}  // namespace attnscope
