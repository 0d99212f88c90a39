#pragma once

#include <cstdint>

namespace attnscope::kernels {

/// A linear scorer and its pooling in one pass: each hidden state is read from memory once.
///
///   score[t] = Σ_e hidden[t, e] vector[e] + bias + mask[t]
///   out[e]   = Σ_t softmax(score)[t] hidden[t, e]
///
///   hidden  (seq_len, hidden_size)
///   mask    (seq_len,), added, -inf hides a position; or nullptr
///   weights (seq_len,) receives the softmax
///   out     (hidden_size,); zeros, as the weights, when every position is hidden
void score_and_pool(const float* hidden, const float* vector, float bias, const float* mask,
                    int64_t seq_len, int64_t hidden_size, float* weights, float* out);

}  // namespace attnscope::kernels
