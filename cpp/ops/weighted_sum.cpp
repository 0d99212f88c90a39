#include "weighted_sum.h"

#include <stdexcept>

#include "../graph/gradients.h"
#include "arithmetic.h"
#include "matmul.h"
#include "reshape.h"

namespace attnscope {

namespace {

void check_fit(const char* op, const Shape& weights, const Shape& values) {
  if (weights.size() == 2 && values.size() == 3 && fits(weights[0], values[0]) &&
      fits(weights[1], values[1])) {
    return;
  }
  wrong_graph("{}: weights {} do not fit values {}", {op, weights, values});
}

}  // namespace

Shape WeightedSum::output_shape(const InputShapes& inputs) const {
  const Shape& values = *inputs[1];
  check_fit("weighted_sum", *inputs[0], values);
  return {values[0], values[2]};
}

Cost WeightedSum::cost(const InputShapes& inputs, const Shape&) const {
  const Count macs = elements(*inputs[1]);
  return Cost::products(macs, macs);
}

Array WeightedSum::forward(const std::vector<const Array*>& inputs) const {
  const Array& weights = *inputs[0];
  const Array& values = *inputs[1];
  const size_t B = values.shape(0), T = values.shape(1), E = values.shape(2);
  Array out = make_array({B, E});
  out.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    for (size_t t = 0; t < T; ++t) {
      for (size_t e = 0; e < E; ++e) out(b, e) += weights(b, t) * values(b, t, e);
    }
  }
  return out;
}

void WeightedSum::gradients(GradientBuilder& step) const {
  // As PyTorch's bmm has them: products of a row (B, 1, ·) each.
  const Shape weights = step.shape(step.input(0)), values = step.shape(step.input(1));
  const TensorId dout = step.add<Reshape>({step.gradient()}, Shape{values[0], 1, values[2]});
  if (step.needs(0)) {
    const TensorId products =
        step.add<Matmul>({dout, step.input(1)}, Matmul::Right::kTransposed);  // (B, 1, T)
    step.give(0, step.add<Reshape>({products}, weights));
  }
  if (step.needs(1)) {
    const TensorId row = step.add<Reshape>({step.input(0)}, Shape{weights[0], 1, weights[1]});
    step.give(1, step.add<TransposedMatmul>({row, dout}, TransposedMatmul::Batches::kApart));
  }
}

std::string WeightedSum::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  // bmm, not (weights * values).sum(): no (B, T, E) product is stored, and PyTorch counts its
  // FLOPs.
  return format("torch.bmm({}.unsqueeze(1), {}).squeeze(1)", {inputs[0], inputs[1]});
}

Shape Weigh::output_shape(const InputShapes& inputs) const {
  check_fit("weigh", *inputs[0], *inputs[1]);
  return *inputs[1];
}

Cost Weigh::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array Weigh::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[1];
  const size_t features = y.shape(2);
  for (size_t i = 0; i < y.size(); ++i) y.data()[i] *= inputs[0]->data()[i / features];
  return y;
}

void Weigh::gradients(GradientBuilder& step) const {
  const TensorId weights = step.input(0), values = step.input(1), dy = step.gradient();
  if (step.needs(0)) {
    const Shape shape = step.shape(weights);
    const TensorId products = step.add(shared_op<Multiply>(), {dy, values});
    const TensorId sums = step.add<SumTo>({products}, Shape{shape[0], shape[1], 1});
    step.give(0, step.add<Reshape>({sums}, shape));
  }
  if (step.needs(1)) step.give(1, step.add(step.op(), {weights, dy}));
}

std::string Weigh::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{} * {}.unsqueeze(-1)", {inputs[1], inputs[0]});
}

}  // namespace attnscope
