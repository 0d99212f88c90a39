#pragma once

// Rotary position embedding of one row. Su et al. 2021, https://arxiv.org/abs/2104.09864.

#include <cstdint>

namespace attnscope::kernels {

/// Turns each pair of features by its angle: y[k] = a cos - b sin and y[half + k] = b cos + a sin,
/// within 1 ULP of |a cos| + |b sin|, or |b cos| + |a sin|. A pair is (x[k], x[half + k]), or
/// (x[2k], x[2k + 1]) where they are interleaved.
///
///   x, y            (2 half,); must not overlap
///   cosines, sines  (half,)
void rotate(const float* x, const float* cosines, const float* sines, int64_t half,
            bool interleaved, float* y);

/// Turns what rotate() makes back, as exactly: the pairs of y are where those of rotate()'s x were.
void rotate_back(const float* x, const float* cosines, const float* sines, int64_t half,
                 bool interleaved, float* y);

}  // namespace attnscope::kernels
