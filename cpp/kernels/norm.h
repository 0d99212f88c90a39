#pragma once

// Normalization of one row. x and y may be the same memory. A row whose squares leave float32's
// range, or that holds NaN or infinity, gets what double precision gives.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

/// y = (x - mean) / sqrt(variance + eps) * (offset + weight) + bias; bias may be nullptr. Two
/// passes: the variance of centred values does not cancel.
void layer_norm(const float* x, const float* weight, const float* bias, float offset, float eps,
                int64_t length, float* y);

/// y = x / sqrt(mean of squares + eps) * (offset + weight).
void rms_norm(const float* x, const float* weight, float offset, float eps, int64_t length,
              float* y);

/// What a norm makes of a row before its weights multiply it: x̂ = (x - mean) scale, the mean 0
/// where it is not centred.
struct NormKind {
  bool centred;
  float eps;
  float offset;  // added to each weight
};
struct NormStatistics {
  float mean, scale;
};
NormStatistics norm_statistics(const float* x, const NormKind& norm, int64_t length);

/// The gradient by x: with g = dy (weight + offset), dx = scale (g - mean(g) - x̂ mean(g x̂)),
/// without mean(g) where x̂ is not centred. dx may be the memory of dy or x.
void norm_gradient(const float* dy, const float* x, const float* weight, const NormKind& norm,
                   int64_t length, float* dx);

/// That by the weights, of some columns: sums[e] += Σ_i dy[i, e] x̂[i, e], summed as in sums.h.
///
///   dy, x       (count, length)
///   statistics  (count,)
///   sums        (length,)
void sum_norm_weight_gradient(ConstRows dy, ConstRows x, const NormStatistics* statistics,
                              int64_t count, int64_t length, double* sums);

}  // namespace attnscope::kernels
