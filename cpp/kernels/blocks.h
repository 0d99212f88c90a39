#pragma once

// How a matrix product is cut. Only for the files in this folder: they are compiled for each
// instruction set, all else once for both, which would see other numbers here.

#include <cstdint>

#include "gemm.h"

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

/// Columns of a block where A has m rows: of those of one tile B is read once, front to back.
constexpr int64_t block_columns(int64_t m) { return m <= kTileRows ? kPanel : kBlockColumns; }

}  // namespace attnscope::kernels
