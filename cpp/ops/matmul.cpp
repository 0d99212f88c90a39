#include "matmul.h"

#include <stdexcept>

#include "../graph/gradients.h"

namespace attnscope {
namespace {

/// Of products with scores or weights of this shape, `macs` of them, those within the band.
Cost banded_products(Count macs, const Shape& scores, const Band& band) {
  if (!band.restricts()) return Cost::products(macs, macs);
  const int64_t T = scores[scores.size() - 2], S = scores.back();
  return Cost::products(macs, product({macs / product({T, S}), band.visible_pairs(T, S)}));
}

}  // namespace

Shape Matmul::output_shape(const InputShapes& inputs) const {
  const Shape& a = *inputs[0];
  const Shape& b = *inputs[1];
  const size_t rank = a.size();
  const bool transposed = right_ == Right::kTransposed;
  bool together = rank >= 2 && (b.size() == rank || b.size() == 2);
  for (size_t i = 0; together && i + 2 < b.size(); ++i) together = fits(a[i], b[i]);
  if (!together || !fits(a[rank - 1], b[transposed ? b.size() - 1 : b.size() - 2])) {
    wrong_graph("matmul: {} does not fit {}", {a, b});
  }
  Shape shape = a;
  shape[rank - 1] = b[transposed ? b.size() - 2 : b.size() - 1];
  if (!transposed) return shape;
  shape[rank - 2] = as_query(shape[rank - 2]);
  shape[rank - 1] = as_key(shape[rank - 1]);
  return shape;
}

Cost Matmul::cost(const InputShapes& inputs, const Shape& output) const {
  const Count macs = product({elements(output), inputs[0]->back()});
  const Shape& scores = right_ == Right::kTransposed ? output : *inputs[0];
  return banded_products(macs, scores, band_);
}

Array Matmul::forward(const std::vector<const Array*>& inputs) const {
  const Array& a = *inputs[0];
  const Array& b = *inputs[1];
  const size_t rank = a.dimension();
  const bool transposed = right_ == Right::kTransposed;
  const size_t M = a.shape(rank - 2), K = a.shape(rank - 1);
  const size_t N = b.shape(b.dimension() - (transposed ? 2 : 1));
  const bool shared = b.dimension() < rank;

  std::vector<size_t> shape(a.shape().begin(), a.shape().end());
  shape.back() = N;
  Array c = make_array(shape);
  for (size_t batch = 0; batch < a.size() / (M * K); ++batch) {
    const double* left = a.data() + batch * M * K;
    const double* right = b.data() + (shared ? 0 : batch * K * N);
    double* out = c.data() + batch * M * N;
    for (size_t m = 0; m < M; ++m) {
      for (size_t n = 0; n < N; ++n) {
        double sum = 0.0;
        for (size_t k = 0; k < K; ++k) {
          if (!transposed && !band_.shows(static_cast<int64_t>(m), static_cast<int64_t>(k), K))
            continue;
          sum += left[m * K + k] * (transposed ? right[n * K + k] : right[k * N + n]);
        }
        out[m * N + n] = sum;
      }
    }
  }
  return c;
}

void Matmul::gradients(GradientBuilder& step) const {
  const TensorId a = step.input(0), b = step.input(1), dc = step.gradient();
  const bool transposed = right_ == Right::kTransposed;
  if (step.needs(0)) {
    step.give(0, step.add<Matmul>({dc, b}, transposed ? Right::kPlain : Right::kTransposed, band_));
  }
  if (!step.needs(1)) return;
  const bool shared = step.shape(b).size() < step.shape(a).size();
  const auto batches = shared ? TransposedMatmul::Batches::kSum : TransposedMatmul::Batches::kApart;
  const std::vector<TensorId> operands = transposed ? std::vector{dc, a} : std::vector{a, dc};
  step.give(1, step.add<TransposedMatmul>(operands, batches, band_));
}

std::string Matmul::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const char* suffix = right_ == Right::kTransposed ? ".transpose(-2, -1)" : "";
  return format("{} @ {}{}", {inputs[0], inputs[1], suffix});
}

Shape TransposedMatmul::output_shape(const InputShapes& inputs) const {
  const Shape &a = *inputs[0], &b = *inputs[1];
  bool together = a.size() >= 2 && a.size() == b.size();
  for (size_t i = 0; together && i + 1 < a.size(); ++i) together = fits(a[i], b[i]);
  if (!together) wrong_graph("matmul: {} transposed does not fit {}", {a, b});
  if (batches_ == Batches::kSum) return {a.back(), b.back()};
  Shape shape = a;
  shape[shape.size() - 2] = a.back();
  shape.back() = b.back();
  return shape;
}

Cost TransposedMatmul::cost(const InputShapes& inputs, const Shape&) const {
  return banded_products(product({elements(*inputs[0]), inputs[1]->back()}), *inputs[0], band_);
}

Array TransposedMatmul::forward(const std::vector<const Array*>& inputs) const {
  const Array &a = *inputs[0], &b = *inputs[1];
  const size_t rank = a.dimension();
  const size_t M = a.shape(rank - 2), K = a.shape(rank - 1), N = b.shape(rank - 1);
  std::vector<size_t> shape(a.shape().begin(), a.shape().end());
  shape[rank - 2] = K;
  shape[rank - 1] = N;
  const bool sums = batches_ == Batches::kSum;
  Array c = make_array(sums ? std::vector<size_t>{K, N} : shape);
  c.fill(0.0);
  for (size_t row = 0; row < a.size() / K; ++row) {
    double* out = c.data() + (sums ? 0 : row / M * K * N);
    for (size_t k = 0; k < K; ++k) {
      for (size_t n = 0; n < N; ++n) {
        out[k * N + n] += a.data()[row * K + k] * b.data()[row * N + n];
      }
    }
  }
  return c;
}

std::string TransposedMatmul::pytorch(const std::vector<std::string>& inputs,
                                      std::string_view) const {
  const char* flat = batches_ == Batches::kSum ? ".flatten(0, -2)" : "";
  return format("torch.matmul({}{}.transpose(-2, -1), {}{})", {inputs[0], flat, inputs[1], flat});
}

}  // namespace attnscope
