#pragma once

#include <cstdint>

namespace attnscope::kernels {

/// y[i] = tanh(x[i]); x and y may be the same memory.
void tanh(const float* x, int64_t length, float* y);

}  // namespace attnscope::kernels
