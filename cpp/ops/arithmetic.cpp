#include "arithmetic.h"

#include <cmath>
#include <functional>
#include <stdexcept>

#include "../graph/number.h"
#include "broadcast.h"
#include "reshape.h"

namespace attnscope {

namespace {

/// combine(a, b) element by element, of `a` and what broadcasts to it.
template <class Combine>
Array combined(const Array& a, const Array& b, Combine combine) {
  Array y = a;
  const Shape to(y.shape().begin(), y.shape().end()), from(b.shape().begin(), b.shape().end());
  const size_t length = y.shape().back(), step = from.back() == 1 ? 0 : 1;
  for (size_t row = 0; row < y.size() / length; ++row) {
    const double* other = b.data() + broadcast_row(from, to, static_cast<int64_t>(row));
    double* out = y.data() + row * length;
    for (size_t i = 0; i < length; ++i) out[i] = combine(out[i], other[i * step]);
  }
  return y;
}

/// What `gradient` is by an input that was broadcast to its shape.
TensorId summed(GradientBuilder& step, TensorId gradient, TensorId input) {
  const Shape shape = step.shape(input);
  return shape == step.shape(gradient) ? gradient : step.add<SumTo>({gradient}, shape);
}

}  // namespace

Shape Add::output_shape(const InputShapes& inputs) const {
  if (!broadcasts_to(*inputs[1], *inputs[0])) {
    wrong_graph("add: {} does not broadcast to {}", {*inputs[1], *inputs[0]});
  }
  return *inputs[0];
}

Cost Add::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}};
}

Array Add::forward(const std::vector<const Array*>& inputs) const {
  return combined(*inputs[0], *inputs[1], std::plus<>());
}

void Add::gradients(GradientBuilder& step) const {
  if (step.needs(0)) step.give(0, step.gradient());
  if (step.needs(1)) step.give(1, summed(step, step.gradient(), step.input(1)));
}

std::string Add::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{} + {}", {inputs[0], inputs[1]});
}

Shape Multiply::output_shape(const InputShapes& inputs) const {
  if (!broadcasts_to(*inputs[1], *inputs[0])) {
    wrong_graph("multiply: {} does not broadcast to {}", {*inputs[1], *inputs[0]});
  }
  return *inputs[0];
}

Cost Multiply::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array Multiply::forward(const std::vector<const Array*>& inputs) const {
  return combined(*inputs[0], *inputs[1], std::multiplies<>());
}

void Multiply::gradients(GradientBuilder& step) const {
  const OpPtr& multiply = shared_op<Multiply>();
  if (step.needs(0)) step.give(0, step.add(multiply, {step.gradient(), step.input(1)}));
  if (!step.needs(1)) return;
  const TensorId whole = step.add(multiply, {step.gradient(), step.input(0)});
  step.give(1, summed(step, whole, step.input(1)));
}

std::string Multiply::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{} * {}", {inputs[0], inputs[1]});
}

Scale Scale::by_root_of(int64_t divisor) {
  Scale scale(1.0 / std::sqrt(static_cast<double>(divisor)));
  scale.divisor_ = divisor;
  return scale;
}

void Scale::gradients(GradientBuilder& step) const {
  step.give(0, step.add(step.op(), {step.gradient()}));
}

Cost Scale::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

std::string Scale::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{} * {}", {inputs[0], divisor_ > 0 ? format("{} ** -0.5", {divisor_})
                                                    : python_number(factor_)});
}

}  // namespace attnscope
