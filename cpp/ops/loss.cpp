#include "loss.h"

#include <algorithm>
#include <cmath>

#include "../graph/gradients.h"
#include "../graph/number.h"

namespace attnscope {
namespace {

Array scalar(double value) {
  Array one = make_array({1});
  one.fill(value);
  return one;
}

const double* optional(const std::vector<const Array*>& inputs, size_t i) {
  return i < inputs.size() && inputs[i] ? inputs[i]->data() : nullptr;
}

const char* reduction_text(Reduction reduction) {
  return reduction == Reduction::kMean ? "mean" : "sum";
}

}  // namespace

Cost LogSoftmax::cost(const InputShapes&, const Shape& output) const {
  // Five a number: compare for the maximum, subtract it, exponentiate, add to the sum, subtract its
  // logarithm.
  const Count each = elements(output);
  return {{Operation::kComparison, each},
          {Operation::kAddition, product({3, each})},
          {Operation::kExponential, each}};
}

Array LogSoftmax::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const size_t length = y.shape().back();
  for (size_t start = 0; start < y.size(); start += length) {
    double* row = y.data() + start;
    const double maximum = *std::max_element(row, row + length);
    double sum = 0.0;
    for (size_t i = 0; i < length; ++i) sum += std::exp(row[i] - maximum);
    for (size_t i = 0; i < length; ++i) row[i] = (row[i] - maximum) - std::log(sum);
  }
  return y;
}

void LogSoftmax::gradients(GradientBuilder& step) const {
  step.give(0, step.add(shared_op<LogSoftmaxGradient>(), {step.output(), step.gradient()}));
}

std::string LogSoftmax::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.log_softmax(dim=-1)", {inputs[0]});
}

Cost LogSoftmaxGradient::cost(const InputShapes&, const Shape& output) const {
  const Count each = elements(output);
  return {{Operation::kAddition, product({2, each})},
          {Operation::kMultiplication, each},
          {Operation::kExponential, each}};
}

Array LogSoftmaxGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &y = *inputs[0], &dy = *inputs[1];
  const size_t length = y.shape().back();
  Array dx = dy;
  for (size_t start = 0; start < y.size(); start += length) {
    double sum = 0.0;
    for (size_t i = start; i < start + length; ++i) sum += dy.data()[i];
    for (size_t i = start; i < start + length; ++i) dx.data()[i] -= std::exp(y.data()[i]) * sum;
  }
  return dx;
}

Shape CrossEntropy::output_shape(const InputShapes& inputs) const {
  const Shape &logits = *inputs[0], &target = *inputs[1];
  Shape rows = logits;
  if (rule_.target == CrossEntropyRule::Target::kIndices) rows.pop_back();
  if (!fit(target, rows)) wrong_graph("cross_entropy: {} does not fit {}", {target, logits});
  return {1};
}

Cost CrossEntropy::cost(const InputShapes& inputs, const Shape&) const {
  const Count each = elements(*inputs[0]);
  const bool one_a_row =
      rule_.target == CrossEntropyRule::Target::kIndices && rule_.label_smoothing == 0;
  const Count terms = one_a_row ? each / inputs[0]->back() : each;
  return {{Operation::kAddition, terms}, {Operation::kMultiplication, terms}};
}

Array CrossEntropy::forward(const std::vector<const Array*>& inputs) const {
  const Array &y = *inputs[0], &target = *inputs[1];
  const double* weight = optional(inputs, 2);
  const auto classes = static_cast<int64_t>(y.shape().back());
  const int64_t rows = static_cast<int64_t>(y.size()) / classes;
  const int64_t each = static_cast<int64_t>(target.size()) / rows;
  std::vector<double> coefficients(static_cast<size_t>(classes));
  double sum = 0.0;
  for (int64_t i = 0; i < rows; ++i) {
    rule_.row(target.data() + i * each, weight, classes, coefficients.data());
    for (int64_t c = 0; c < classes; ++c) {
      const double coefficient = coefficients[static_cast<size_t>(c)];
      if (coefficient != 0) sum += coefficient * y.data()[i * classes + c];
    }
  }
  return scalar(sum / rule_.divisor(target.data(), weight, rows));
}

void CrossEntropy::gradients(GradientBuilder& step) const {
  std::vector<TensorId> inputs{step.gradient()};
  inputs.insert(inputs.end(), step.inputs().begin(), step.inputs().end());
  if (step.needs(0)) step.give(0, step.add<CrossEntropyGradient>(inputs, rule_));
}

std::string CrossEntropy::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  std::string text = format("F.cross_entropy({}.flatten(0, -2), {}", {inputs[0], inputs[1]});
  const bool indices = rule_.target == CrossEntropyRule::Target::kIndices;
  text += indices ? ".flatten()" : ".flatten(0, -2)";
  if (inputs.size() > 2) text += format(", weight={}", {inputs[2]});
  if (indices && rule_.ignore_index != -100) {
    text += format(", ignore_index={}", {rule_.ignore_index});
  }
  if (rule_.label_smoothing != 0) {
    text += format(", label_smoothing={}", {number_text(rule_.label_smoothing)});
  }
  return format("{}, reduction=\"{}\")", {text, reduction_text(rule_.reduction)});
}

Cost CrossEntropyGradient::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array CrossEntropyGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &y = *inputs[1], &target = *inputs[2];
  const double* weight = optional(inputs, 3);
  const auto classes = static_cast<int64_t>(y.shape().back());
  const int64_t rows = static_cast<int64_t>(y.size()) / classes;
  const int64_t each = static_cast<int64_t>(target.size()) / rows;
  const double scale = rule_.gradient_of_row(inputs[0]->data()[0], target.data(), weight, rows);
  Array dy = make_array({y.shape().begin(), y.shape().end()});
  for (int64_t i = 0; i < rows; ++i) {
    double* row = dy.data() + i * classes;
    rule_.row(target.data() + i * each, weight, classes, row);
    for (int64_t c = 0; c < classes; ++c) row[c] *= scale;
  }
  return dy;
}

double PointwiseRule::loss(double x, double target) const {
  if (kind == Kind::kSquared) return (x - target) * (x - target);
  return std::max(x, 0.0) - x * target + std::log1p(std::exp(-std::abs(x)));
}

double PointwiseRule::derivative(double x, double target) const {
  if (kind == Kind::kSquared) return 2.0 * (x - target);
  return 1.0 / (1.0 + std::exp(-x)) - target;
}

std::string_view PointwiseLoss::name() const {
  return rule_.kind == PointwiseRule::Kind::kSquared ? "mse_loss"
                                                     : "binary_cross_entropy_with_logits";
}

Shape PointwiseLoss::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("{}: {} is not {}", {name(), *inputs[1], *inputs[0]});
  }
  return {1};
}

Cost PointwiseLoss::cost(const InputShapes& inputs, const Shape&) const {
  const Count each = elements(*inputs[0]);
  if (rule_.kind == PointwiseRule::Kind::kSquared) {
    return {{Operation::kAddition, product({2, each})}, {Operation::kMultiplication, each}};
  }
  return {{Operation::kAddition, product({3, each})},
          {Operation::kMultiplication, each},
          {Operation::kComparison, each},
          {Operation::kExponential, each}};
}

Array PointwiseLoss::forward(const std::vector<const Array*>& inputs) const {
  const Array &x = *inputs[0], &target = *inputs[1];
  double sum = 0.0;
  for (size_t i = 0; i < x.size(); ++i) sum += rule_.loss(x.data()[i], target.data()[i]);
  return scalar(sum / rule_.divisor(x.size()));
}

void PointwiseLoss::gradients(GradientBuilder& step) const {
  if (!step.needs(0)) return;
  step.give(
      0, step.add<PointwiseLossGradient>({step.gradient(), step.input(0), step.input(1)}, rule_));
}

std::string PointwiseLoss::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("F.{}({}, {}, reduction=\"{}\")",
                {name(), inputs[0], inputs[1], reduction_text(rule_.reduction)});
}

Cost PointwiseLossGradient::cost(const InputShapes&, const Shape& output) const {
  const Count each = elements(output);
  const bool squared = rule_.kind == PointwiseRule::Kind::kSquared;
  return {{Operation::kAddition, each},
          {Operation::kMultiplication, each},
          {Operation::kExponential, squared ? 0 : each}};
}

Array PointwiseLossGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &x = *inputs[1], &target = *inputs[2];
  const double scale = inputs[0]->data()[0] / rule_.divisor(x.size());
  Array dx = x;
  for (size_t i = 0; i < x.size(); ++i) {
    dx.data()[i] = scale * rule_.derivative(x.data()[i], target.data()[i]);
  }
  return dx;
}

Array Constant::forward(const std::vector<const Array*>&) const { return scalar(value_); }

}  // namespace attnscope
