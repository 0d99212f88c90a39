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

/// x̂ = (x - mean) scale of a row: what a norm multiplies by its weights.
struct RowNorm {
  float mean, scale;
};

/// Of a layer norm (`centred`), or of an RMS norm, whose mean is 0.
RowNorm row_norm(const float* x, bool centred, float eps, int64_t length);

/// dx = scale (g - mean(g) - x̂ mean(g x̂)), g = dy (offset + weight); without mean(g) where x̂ is not
/// centred.
void norm_gradient(const float* dy, const float* x, const float* weight, float offset, bool centred,
                   RowNorm norm, int64_t length, float* dx);

/// sums[e] = Σ_i dy[i, e] x̂[i, e], in blocks of rows.
///
///   dy, x  (rows, length), rows `stride` apart
///   norms  (rows,)
void norm_weight_gradient(const float* dy, const float* x, int64_t stride, const RowNorm* norms,
                          int64_t rows, int64_t length, float* sums);

}  // namespace attnscope::kernels
