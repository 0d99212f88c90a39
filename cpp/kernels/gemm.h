#pragma once

// Matrix product with a packed right-hand side: C = A Bᵀ + bias, as nn.Linear computes it.

#include <cstdint>

namespace attnscope::kernels {

/// Floats that pack_transposed() writes for B (n, k).
int64_t packed_size(int64_t n, int64_t k);

/// Packs B (n, k), row-major, into panels of 8 rows, each panel k-major; the last is padded with 0.
void pack_transposed(const float* b, int64_t n, int64_t k, float* packed);

/// Packs B given transposed, as (k, n), row-major, to the same panels.
void pack_plain(const float* b, int64_t n, int64_t k, float* packed);

/// c[i, j] = Σ_p a[i, p] b[j, p] + bias[j].
///
///   a      (m, k), row-major, k apart
///   packed B (n, k) as pack_transposed() left it
///   bias   (n,) or nullptr
///   c      (m, n), row-major, n apart; must not overlap the others
void gemm(const float* a, const float* packed, const float* bias, float* c, int64_t m, int64_t n,
          int64_t k);

}  // namespace attnscope::kernels
