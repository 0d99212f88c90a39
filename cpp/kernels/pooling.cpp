// Online softmax (Milakov and Gimelshein 2018, https://arxiv.org/abs/1805.02867): the running sum
// and output are rescaled whenever a larger score turns up, so no second pass over the rows is
// needed.

#include "pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exp.h"
#include "rows.h"
#include "softmax.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// The larger of two; NaN as soon as one of them is, which std::max forgets.
float max_or_nan(float a, float b) { return a > b || std::isnan(a) ? a : b; }

/// Adds at most kPooledRows rows.
void add_group(ConstRows rows, const float* mask, int64_t count, int64_t hidden_size, float* scores,
               Pooled& pooled, float* out) {
  float larger = pooled.maximum;
  for (int64_t i = 0; i < count; ++i) {
    if (mask) scores[i] += mask[i];
    larger = max_or_nan(larger, scores[i]);
  }
  // Where all are hidden so far, the weights are 0, and rows still count: 0 times NaN is NaN.
  if (larger != pooled.maximum) {
    const float decay = exp_below_zero(pooled.maximum - larger);  // 0 for the first
    scale(out, decay, hidden_size);
    pooled = {larger, pooled.sum * decay};
  }
  float added[kPooledRows];
  std::copy_n(scores, count, added);
  pooled.sum += exponentiate(added, count, 1.0f, larger);
  add_weighted_rows(rows, added, count, hidden_size, out);
}

/// Pools group by group, each after score(its first row, count of rows).
template <class Score>
Pooled pool_groups(const float* hidden, const float* mask, int64_t seq_len, int64_t hidden_size,
                   float* scores, float* out, Score score) {
  Pooled pooled;
  std::fill_n(out, hidden_size, 0.0f);
  for (int64_t t = 0; t < seq_len; t += kPooledRows) {
    const int64_t count = std::min(kPooledRows, seq_len - t);
    const ConstRows rows{hidden + t * hidden_size, hidden_size};
    score(rows, count, scores + t);
    add_group(rows, mask ? mask + t : nullptr, count, hidden_size, scores + t, pooled, out);
  }
  return pooled;
}

}  // namespace

Pooled score_and_pool(const float* hidden, const float* vector, float bias, const float* mask,
                      int64_t seq_len, int64_t hidden_size, float* scores, float* out) {
  return pool_groups(hidden, mask, seq_len, hidden_size, scores, out,
                     [&](ConstRows rows, int64_t count, float* own) {
                       dot_rows(rows, vector, bias, count, hidden_size, own);
                     });
}

Pooled pool_scored(const float* hidden, const float* mask, int64_t seq_len, int64_t hidden_size,
                   float* scores, float* out) {
  return pool_groups(hidden, mask, seq_len, hidden_size, scores, out,
                     [](ConstRows, int64_t, float*) {});
}

Pooled add_pooled(Pooled pooled, float* out, Pooled other, const float* other_out,
                  int64_t hidden_size) {
  const float larger = max_or_nan(pooled.maximum, other.maximum);
  const auto share = [&](float maximum) {
    return larger == kHidden ? 1.0f : exp_below_zero(maximum - larger);
  };
  const float decay = share(pooled.maximum), factor = share(other.maximum);
  scale(out, decay, hidden_size);
  add_weighted_rows({other_out, hidden_size}, &factor, 1, hidden_size, out);
  return {larger, pooled.sum * decay + other.sum * factor};
}

void finish_pooling(Pooled pooled, int64_t seq_len, int64_t hidden_size, float* scores,
                    float* out) {
  softmax(scores, nullptr, seq_len, scores);
  scale(out, reciprocal(pooled.sum), hidden_size);
}

void count_equal(const float* x, const float* y, int64_t length, float* counts) {
  const Batch one(1.0f), zero(0.0f);
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    store(counts + e, load(counts + e) + xsimd::select(load(x + e) == load(y + e), one, zero));
  }
  for (; e < length; ++e) counts[e] += x[e] == y[e] ? 1.0f : 0.0f;
}

void share_equal(const float* x, const float* y, const float* dy, const float* counts,
                 int64_t length, float* dx) {
  const Batch zero(0.0f);
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    const Batch share = load(dy + e) / load(counts + e);
    store(dx + e, xsimd::select(load(x + e) == load(y + e), share, zero));
  }
  for (; e < length; ++e) dx[e] = x[e] == y[e] ? dy[e] / counts[e] : 0.0f;
}

}  // namespace attnscope::kernels
