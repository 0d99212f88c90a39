#pragma once

#include <cstdint>

namespace attnscope::kernels {

/// weights[i] = exp(scores[i] + mask[i] - max) / Σ, over one row of `length`.
///
/// mask is added to the scores (-inf hides a position) or nullptr. A row whose every position is
/// hidden gets zeros. scores and weights may be the same memory.
void softmax(const float* scores, const float* mask, int64_t length, float* weights);

}  // namespace attnscope::kernels
