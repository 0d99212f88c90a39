#include "optimizer.h"

#include <algorithm>
#include <cmath>

#include "../graph/number.h"

namespace attnscope {

Shape Update::output_shape(const InputShapes& inputs) const {
  const size_t operands = inputs.size() - (has_rates() ? 1 : 0);
  for (size_t i = 1; i < operands; ++i) {
    if (*inputs[i] != *inputs[0]) wrong_graph("{}: {} is not {}", {name(), *inputs[i], *inputs[0]});
  }
  if (has_rates() && *inputs.back() != Shape{static_cast<int64_t>(kRates)}) {
    wrong_graph("{}: {} are no rates", {name(), *inputs.back()});
  }
  return *inputs[0];
}

Array Update::forward(const std::vector<const Array*>& inputs) const {
  const size_t operands = inputs.size() - (has_rates() ? 1 : 0);
  const double* rates = has_rates() ? inputs.back()->data() : nullptr;
  Array y = *inputs[0];
  std::vector<double> x(operands);
  for (size_t i = 0; i < y.size(); ++i) {
    for (size_t j = 0; j < operands; ++j) x[j] = inputs[j]->data()[i];
    y.data()[i] = apply(x.data(), rates);
  }
  return y;
}

Cost AddScaled::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}, {Operation::kMultiplication, elements(output)}};
}

Cost MovingAverage::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, product({2, elements(output)})},
          {Operation::kMultiplication, elements(output)}};
}

Cost MovingSquare::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)},
          {Operation::kMultiplication, product({3, elements(output)})}};
}

Cost Largest::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kComparison, elements(output)}};
}

Cost Momentum::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)},
          {Operation::kMultiplication, product({2, elements(output)})}};
}

double RmsDirection::apply(const double* x, const double*) const {
  return x[0] / (std::sqrt(centred_ ? x[1] - x[2] * x[2] : x[1]) + eps_);
}

Cost RmsDirection::cost(const InputShapes&, const Shape& output) const {
  const Count each = elements(output);
  return {{Operation::kAddition, product({centred_ ? 2 : 1, each})},
          {Operation::kMultiplication, centred_ ? each : 0},
          {Operation::kRoot, each},
          {Operation::kDivision, each}};
}

Cost Descend::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}, {Operation::kMultiplication, elements(output)}};
}

double AdamStep::apply(const double* x, const double* rates) const {
  const double root = std::sqrt(x[2]) / rates[kRootCorrection] + eps_;
  return rates[kKept] * x[0] - rates[kStepSize] * x[1] / root;
}

Cost AdamStep::cost(const InputShapes&, const Shape& output) const {
  const Count each = elements(output);
  return {{Operation::kAddition, product({2, each})},
          {Operation::kMultiplication, product({2, each})},
          {Operation::kRoot, each},
          {Operation::kDivision, product({2, each})}};
}

Cost GlobalNorm::cost(const InputShapes& inputs, const Shape&) const {
  Count each = 0;
  for (const Shape* input : inputs) each = sum(each, elements(*input));
  return {{Operation::kAddition, each}, {Operation::kMultiplication, each}, {Operation::kRoot, 1}};
}

Array GlobalNorm::forward(const std::vector<const Array*>& inputs) const {
  double squares = 0.0;
  for (const Array* input : inputs) {
    for (const double value : *input) squares += value * value;
  }
  Array norm = make_array({1});
  norm.fill(std::sqrt(squares));
  return norm;
}

double ClipByNorm::factor(double norm) const { return std::min(1.0, most_ / (norm + 1e-6)); }

Cost ClipByNorm::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array ClipByNorm::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  for (double& value : y) value *= factor(inputs[1]->data()[0]);
  return y;
}

}  // namespace attnscope
