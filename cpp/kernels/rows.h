#pragma once

// Work on rows of floats: dot products with one vector, and weighted sums of rows. Any length, any
// alignment.

#include <cstdint>

namespace attnscope::kernels {

/// scores[i] = Σ_e rows[i, e] vector[e] + bias, for `count` rows that lie `length` apart.
void dot_rows(const float* rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores);

/// out[e] = decay * out[e] + Σ_i weights[i] rows[i, e]. With decay 0, out is not read.
void add_weighted_rows(const float* rows, const float* weights, int64_t count, int64_t length,
                       float decay, float* out);

}  // namespace attnscope::kernels
