#pragma once

// Work on rows of floats: dot products with one vector, and weighted sums of rows. Any length, any
// alignment.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

/// Rows that share each load of the vector, or of out: fastest in multiples of it.
inline constexpr int64_t kRowGroup = 4;

/// scores[i] = Σ_e rows[i, e] vector[e] + bias.
///
///   rows    (count, length)
///   vector  (length,)
///   scores  (count,)
void dot_rows(ConstRows rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores);

/// y[e] += x[e].
void add_to(const float* x, int64_t length, float* y);

/// out[e] += Σ_i weights[i] rows[i, e].
///
///   rows     (count, length)
///   weights  (count,)
///   out      (length,)
void add_weighted_rows(ConstRows rows, const float* weights, int64_t count, int64_t length,
                       float* out);

}  // namespace attnscope::kernels
