#pragma once

// Sums of many numbers. Floats are added in blocks of kSummed, and the blocks in double precision,
// so that rounding does not grow with the length.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

inline constexpr int64_t kSummed = 64;

/// Σ_i x[i].
double sum(const float* x, int64_t length);

/// Σ_i x[i]², also where float32 cannot hold a square.
double sum_of_squares(const float* x, int64_t length);

/// sums[e] += x[e].
void add_to(const float* x, int64_t length, double* sums);

/// sums[e] += Σ_i rows[i, e].
///
///   rows  (count, length)
///   sums  (length,)
void sum_rows(ConstRows rows, int64_t count, int64_t length, double* sums);

/// sums[e] += Σ_i weights[i] rows[i, e].
void sum_weighted_rows(ConstRows rows, const float* weights, int64_t count, int64_t length,
                       double* sums);

/// sums[e] = Σ_i weights[i] rows[i, e].
void weighted_sum(ConstRows rows, const float* weights, int64_t count, int64_t length, float* sums);

}  // namespace attnscope::kernels
