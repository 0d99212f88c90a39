#pragma once

// Matrix product with a packed right-hand side: C = A Bᵀ + bias, as nn.Linear computes it.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

/// Columns of C that a panel of packed B makes. Packed sizes are rounded up to it.
inline constexpr int64_t kPanel = 8;

/// `n` rounded up to whole panels.
constexpr int64_t padded(int64_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

/// Floats that the pack functions write for B (n, k).
constexpr int64_t packed_size(int64_t n, int64_t k) { return padded(n) * k; }

/// Packs B (n, k), rows `stride` apart, into panels of 8 rows, each panel k-major; the last is
/// padded with 0.
void pack_transposed(const float* b, int64_t stride, int64_t n, int64_t k, float* packed);

/// Packs B given transposed, as (k, n), rows `stride` apart, to the same panels.
void pack_plain(const float* b, int64_t stride, int64_t n, int64_t k, float* packed);

/// Turns a matrix: to[j, i] = from[i, j].
///
///   from  (rows, columns)
///   to    (columns, rows)
void turn(ConstRows from, int64_t rows, int64_t columns, Rows to);

/// Packed B, or a part of it: panel j/8 starts at data + j * depth. Some of the `depth` terms may
/// be left out before `data` and after k. Products of one B that follow one another find its last
/// panels in the cache where every other product reads it backwards, from the last panel to the
/// first; the results are the same.
struct Panels {
  const float* data;
  int64_t depth;
  bool backwards = false;
};

/// Products with up to so many rows add their terms in another order than larger ones, of which the
/// same rows may be a part.
inline constexpr int64_t kFewRows = 2;

/// c[i, j] = Σ_p a[i, p] b[j, p] + bias[j].
///
///   a      (m, k)
///   b      (n, k) as the pack functions left it
///   bias   (n,) or nullptr
///   c      (m, n); must not overlap the others
void gemm(ConstRows a, Panels b, const float* bias, Rows c, int64_t m, int64_t n, int64_t k);

/// c[i, j] += Σ_p a[i, p] b[j, p].
void gemm_add(ConstRows a, Panels b, Rows c, int64_t m, int64_t n, int64_t k);

}  // namespace attnscope::kernels
