#pragma once

// y[i] = f(x[i]); x and y may be the same memory. Errors are those that tests/cpp holds, in ULP of
// the result; NaN stays NaN.

#include <cstdint>

namespace attnscope::kernels {

void relu(const float* x, int64_t length, float* y);

/// Within 2 ULP.
void tanh(const float* x, int64_t length, float* y);

/// 1 / (1 + e^-x). Within 3 ULP, and 0 where e^x would be denormal.
void sigmoid(const float* x, int64_t length, float* y);

/// x sigmoid(x). Within 4 ULP down to x = -80.
void silu(const float* x, int64_t length, float* y);

/// x Φ(x), Φ the normal distribution. Within 5 ULP of |x| / 2.
void gelu(const float* x, int64_t length, float* y);

/// x sigmoid(2 √(2/π) (x + 0.044715 x³)). Within 4 ULP of |x| / 2.
void gelu_tanh(const float* x, int64_t length, float* y);

// Their gradients: dx[i] = dy[i] f'(x[i]), of x, or of y = f(x) where that is simpler. dx may be
// the memory of either. f' errs by at most so many ULP of 1, or of itself where it is larger.

void relu_gradient(const float* dy, const float* y, int64_t length, float* dx);

/// Within 1 ULP.
void tanh_gradient(const float* dy, const float* y, int64_t length, float* dx);

/// Within 1 ULP.
void sigmoid_gradient(const float* dy, const float* y, int64_t length, float* dx);

/// Within 4 ULP.
void silu_gradient(const float* dy, const float* x, int64_t length, float* dx);

/// Within 4 ULP.
void gelu_gradient(const float* dy, const float* x, int64_t length, float* dx);

/// Within 8 ULP.
void gelu_tanh_gradient(const float* dy, const float* x, int64_t length, float* dx);

}  // namespace attnscope::kernels
