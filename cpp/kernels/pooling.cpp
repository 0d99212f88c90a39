// Online softmax (Milakov and Gimelshein 2018, https://arxiv.org/abs/1805.02867): the running sum
// and output are rescaled whenever a larger score turns up, so no second pass over the rows is
// needed.

#include "pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rows.h"
#include "softmax.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kBlock = 8;  // rows scored, then added while they are still in L1
constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// The larger of two; NaN as soon as one of them is, which std::max forgets.
float max_or_nan(float a, float b) { return a > b || std::isnan(a) ? a : b; }

}  // namespace

void score_and_pool(const float* hidden, const float* vector, float bias, const float* mask,
                    int64_t seq_len, int64_t hidden_size, float* weights, float* out) {
  float maximum = kHidden, sum = 0.0f;
  std::fill_n(out, hidden_size, 0.0f);
  for (int64_t t = 0; t < seq_len; t += kBlock) {
    const int64_t count = std::min(kBlock, seq_len - t);
    const float* rows = hidden + t * hidden_size;
    float* scores = weights + t;
    dot_rows(rows, vector, bias, count, hidden_size, scores);
    if (mask) {
      for (int64_t i = 0; i < count; ++i) scores[i] += mask[t + i];
    }
    float larger = maximum;
    for (int64_t i = 0; i < count; ++i) larger = max_or_nan(larger, scores[i]);
    if (larger == kHidden) continue;
    float added[kBlock];
    const float decay = std::exp(maximum - larger);  // 0 for the first visible block
    sum *= decay;
    for (int64_t i = 0; i < count; ++i) sum += added[i] = std::exp(scores[i] - larger);
    add_weighted_rows(rows, added, count, hidden_size, decay, out);
    maximum = larger;
  }
  softmax(weights, nullptr, seq_len, weights);
  if (maximum == kHidden) return;
  const float scale = 1.0f / sum;
  for (int64_t e = 0; e < hidden_size; ++e) out[e] *= scale;
}

}  // namespace attnscope::kernels
