#include "matmul.h"

#include <stdexcept>

namespace attnscope {

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
  const int64_t T = scores[scores.size() - 2], S = scores.back();
  if (!band_.restricts()) return Cost::products(macs, macs);
  return Cost::products(macs, product({macs / product({T, S}), band_.visible_pairs(T, S)}));
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
          sum += left[m * K + k] * (transposed ? right[n * K + k] : right[k * N + n]);
        }
        out[m * N + n] = sum;
      }
    }
  }
  return c;
}

std::string Matmul::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const char* suffix = right_ == Right::kTransposed ? ".transpose(-2, -1)" : "";
  return format("torch.matmul({}, {}{})", {inputs[0], inputs[1], suffix});
}

}  // namespace attnscope
