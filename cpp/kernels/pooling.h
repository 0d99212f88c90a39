#pragma once

#include <cstdint>
#include <limits>

namespace attnscope::kernels {

/// Rows that are scored and then pooled: few enough to be in L1 when they are read again.
inline constexpr int64_t kPooledRows = 8;

/// What a part of a sequence has given so far: its largest score, and the sum of e^(score -
/// maximum).
struct Pooled {
  float maximum = -std::numeric_limits<float>::infinity(), sum = 0.0f;
};

/// A linear scorer and its pooling in one pass: each hidden state is read from memory once.
///
///   scores[t] = Σ_e hidden[t, e] vector[e] + bias + mask[t]
///   out[e]    = Σ_t e^(scores[t] - maximum) hidden[t, e]
///
///   hidden  (seq_len, hidden_size)
///   mask    (seq_len,), added, -inf hides a position; or nullptr
///   scores  (seq_len,)
///   out     (hidden_size,); zeros when every position is hidden
Pooled score_and_pool(const float* hidden, const float* vector, float bias, const float* mask,
                      int64_t seq_len, int64_t hidden_size, float* scores, float* out);

/// The same where the scores are known, but for the mask, which is added to them.
Pooled pool_scored(const float* hidden, const float* mask, int64_t seq_len, int64_t hidden_size,
                   float* scores, float* out);

/// Adds what another part of the same sequence has given, `other_out`, to `out`.
Pooled add_pooled(Pooled pooled, float* out, Pooled other, const float* other_out,
                  int64_t hidden_size);

/// scores <- softmax(scores) and out <- Σ_t softmax(scores)[t] hidden[t], where all parts are in.
void finish_pooling(Pooled pooled, int64_t seq_len, int64_t hidden_size, float* scores, float* out);

/// counts[e] += x[e] equals y[e] ? 1 : 0.
void count_equal(const float* x, const float* y, int64_t length, float* counts);

/// dx[e] = x[e] equals y[e] ? dy[e] / counts[e] : 0.
void share_equal(const float* x, const float* y, const float* dy, const float* counts,
                 int64_t length, float* dx);

}  // namespace attnscope::kernels
