#pragma once

// Work on rows of floats: dot products with one vector, weighted sums of rows, and what is done to
// each number by itself. Any length, any alignment.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

/// scores[i] = Σ_e rows[i, e] vector[e] + bias.
///
///   rows    (count, length)
///   vector  (length,)
///   scores  (count,)
void dot_rows(ConstRows rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores);

/// out[e] += Σ_i weights[i] rows[i, e]. Each four rows are one addition to `out`: weighted_sum() of
/// sums.h is for more than some hundred.
///
///   rows     (count, length)
///   weights  (count,)
///   out      (length,)
void add_weighted_rows(ConstRows rows, const float* weights, int64_t count, int64_t length,
                       float* out);

/// y[e] = a[e] + b[e]; y may be one of them, here and below.
void add(const float* a, const float* b, int64_t length, float* y);

/// y[e] = a[e] b[e].
void multiply(const float* a, const float* b, int64_t length, float* y);

/// y[e] = x[e] factor.
void scale(const float* x, float factor, int64_t length, float* y);
inline void scale(float* y, float factor, int64_t length) { scale(y, factor, length, y); }

/// y[e] = the larger of a[e] and b[e], NaN where one of them is.
void maximum(const float* a, const float* b, int64_t length, float* y);

/// Whether one of the numbers is NaN.
bool holds_nan(const float* x, int64_t length);

}  // namespace attnscope::kernels
