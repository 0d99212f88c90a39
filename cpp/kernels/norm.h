#pragma once

// Normalization of one row. x and y may be the same memory.

#include <cstdint>

namespace attnscope::kernels {

/// y = (x - mean) / sqrt(variance + eps) * weight + bias; bias may be nullptr. Two passes: the
/// variance of centred values does not cancel.
void layer_norm(const float* x, const float* weight, const float* bias, float eps, int64_t length,
                float* y);

/// y = x / sqrt(mean of squares + eps) * (offset + weight).
void rms_norm(const float* x, const float* weight, float offset, float eps, int64_t length,
              float* y);

}  // namespace attnscope::kernels
