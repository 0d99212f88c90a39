#pragma once

// Matrix product with a packed right-hand side: C = A Bᵀ + bias, as nn.Linear computes it.

#include <cstdint>

#include "matrix.h"

namespace attnscope::kernels {

/// Rows of C that are made at once: products are fastest where C has a multiple of them.
// V8's register allocator decides: with relaxed madd 6 rows of 8 columns run at the machine's peak,
// with separate multiply and add the sixth row spills (measured: 60 against 32 GFLOP/s).
#ifdef __wasm_relaxed_simd__
inline constexpr int64_t kTileRows = 6;
#else
inline constexpr int64_t kTileRows = 5;
#endif

/// Terms of a block of B, and its columns: 390 kB, which stay in L2 while all of A passes, 18 kB of
/// it in L1.
// What a tile reads from L2 is the packed matrix, front to back, as processors fetch ahead; rows of
// A, which lie apart, come from there once for 16 tiles (768 to 3072 terms and columns: a twentieth
// faster than with a panel of B in L1 and a block of A in L2). With half of the terms each tile of
// C is loaded and stored twice as often (a tenth slower).
inline constexpr int64_t kBlockTerms = 768, kBlockColumns = 128;

/// Columns of C that a panel of packed B makes. Packed sizes are rounded up to it.
inline constexpr int64_t kPanel = 8;

/// Columns of a block where A has m rows: of those of one tile B is read once, front to back.
constexpr int64_t block_columns(int64_t m) { return m <= kTileRows ? kPanel : kBlockColumns; }

/// `n` rounded up to whole panels.
constexpr int64_t padded(int64_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

/// Floats that the pack functions write for B (n, k).
constexpr int64_t packed_size(int64_t n, int64_t k) { return padded(n) * k; }

/// Packs B (n, k), rows `stride` apart, into panels of 8 rows, each panel k-major; the last is
/// padded with 0.
void pack_transposed(const float* b, int64_t stride, int64_t n, int64_t k, float* packed);

/// Packs B given transposed, as (k, n), rows `stride` apart, to the same panels.
void pack_plain(const float* b, int64_t stride, int64_t n, int64_t k, float* packed);

/// Packed B, or a part of it: panel j/8 starts at data + j * depth. Some of the `depth` terms may
/// be left out before `data` and after k.
struct Panels {
  const float* data;
  int64_t depth;
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
