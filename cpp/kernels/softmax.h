#pragma once

// Softmax of one row, and its parts for kernels that go through a row in pieces.

#include <cstdint>

namespace attnscope::kernels {

/// weights = softmax(scores + mask). `mask` (length,) or nullptr; -inf hides a position. A row
/// whose every position is hidden gets zeros.
void softmax(const float* scores, const float* mask, int64_t length, float* weights);

/// The gradient by the scores: dx = y (dy - Σ y dy), where y are the weights. The sum of dx, which
/// is 0, is off by what each number rounds alone. dx may be the memory of either.
void softmax_gradient(const float* y, const float* dy, int64_t length, float* dx);

/// The largest of a row's scores, -inf for none. NaN is passed over.
float largest(const float* scores, int64_t length);

/// scores <- e^(scale · (scores - maximum)) for a scale > 0, where no score is larger; returns
/// their sum. A maximum of -inf stands for a row with nothing to see: zeros. NaN stays NaN. Beside
/// 3 ULP, the exponent's own rounding shows: an ULP of the result for each unit of it.
float exponentiate(float* scores, int64_t length, float scale, float maximum);

/// y = log(softmax(x)).
void log_softmax(const float* x, int64_t length, float* y);

/// dx = dy - e^y Σ dy, of y = log(softmax(x)).
void log_softmax_gradient(const float* y, const float* dy, int64_t length, float* dx);

/// 1 / sum; 0 for a row with nothing to see.
inline float reciprocal(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

}  // namespace attnscope::kernels
