#include "arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "../graph/number.h"
#include "broadcast.h"
#include "reshape.h"

namespace attnscope {

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
  Array y = *inputs[0];
  const Array& b = *inputs[1];
  const Shape to(y.shape().begin(), y.shape().end()), from(b.shape().begin(), b.shape().end());
  const size_t length = y.shape().back(), step = from.back() == 1 ? 0 : 1;
  for (size_t row = 0; row < y.size() / length; ++row) {
    const double* added = b.data() + broadcast_row(from, to, static_cast<int64_t>(row));
    for (size_t i = 0; i < length; ++i) y.data()[row * length + i] += added[i * step];
  }
  return y;
}

void Add::gradients(GradientBuilder& step) const {
  if (step.needs(0)) step.give(0, step.gradient());
  if (!step.needs(1)) return;
  const Shape shape = step.shape(step.input(1));
  const bool whole = shape == step.shape(step.output());
  step.give(1, whole ? step.gradient() : step.add<SumTo>({step.gradient()}, shape));
}

std::string Add::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{} + {}", {inputs[0], inputs[1]});
}

Shape Multiply::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("multiply: {} is not {}", {*inputs[0], *inputs[1]});
  }
  return *inputs[0];
}

Cost Multiply::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array Multiply::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  std::transform(y.begin(), y.end(), inputs[1]->begin(), y.begin(), std::multiplies<>());
  return y;
}

void Multiply::gradients(GradientBuilder& step) const {
  const OpPtr& multiply = shared_op<Multiply>();
  if (step.needs(0)) step.give(0, step.add(multiply, {step.gradient(), step.input(1)}));
  if (step.needs(1)) step.give(1, step.add(multiply, {step.gradient(), step.input(0)}));
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
