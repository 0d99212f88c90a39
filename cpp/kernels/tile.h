#pragma once

// Register- and cache-blocked matrix product after Goto and van de Geijn 2008, "Anatomy of
// High-Performance Matrix Multiplication". A tile of kRows x 8 results stays in registers while k
// runs. B is packed, so that a tile reads it front to back; A is read where it lies, row by row.
// Only the products in this folder use it: how B is stored is theirs.

#include <algorithm>

#include "gemm.h"
#include "vector.h"

namespace attnscope::kernels {

// V8's register allocator decides the tile: with relaxed madd 6 rows run at the machine's peak,
// with separate multiply and add the sixth row spills (measured: 60 against 32 GFLOP/s).
#ifdef __wasm_relaxed_simd__
inline constexpr int64_t kRows = 6;
#else
inline constexpr int64_t kRows = 5;
#endif
static_assert(kPanel == 2 * kLanes);

// A panel of B takes 24 kB: half of it would load and store each tile of C twice as often (768 to
// 3072 terms and columns: a tenth slower).
inline constexpr int64_t kDepth = 768;
// A block of A takes 400 kB: it stays in L2 while every panel of B passes, and its block of C while
// k runs. Sequences of 128 are one block, so that B passes once.
inline constexpr int64_t kBlockRows = 22 * kRows;

/// A tile of c from kHeight rows of a and a panel of B. It starts from `start`: the bias, whose
/// stride is 0, or what is in c already. A sum waits for the one before: with several chains terms
/// go to each of them in turn.
template <int64_t kHeight, int64_t kChains = 1>
void tile(ConstRows a, const float* b, int64_t depth, ConstRows start, Rows c) {
  Batch sum[kChains][kHeight][2];
  const float* rows[kHeight];
  for (int64_t r = 0; r < kHeight; ++r) {
    rows[r] = a.data + r * a.stride;
    sum[0][r][0] = load(start.data + r * start.stride);
    sum[0][r][1] = load(start.data + r * start.stride + kLanes);
    for (int64_t chain = 1; chain < kChains; ++chain) {
      sum[chain][r][0] = sum[chain][r][1] = Batch(0.0f);
    }
  }
  const auto term = [&](int64_t p, int64_t chain) {
    const Batch left = load(b), right = load(b + kLanes);
    for (int64_t r = 0; r < kHeight; ++r) {
      const Batch value(rows[r][p]);
      sum[chain][r][0] = madd(value, left, sum[chain][r][0]);
      sum[chain][r][1] = madd(value, right, sum[chain][r][1]);
    }
    b += kPanel;
  };
  int64_t p = 0;
  for (; p + kChains <= depth; p += kChains) {
    for (int64_t chain = 0; chain < kChains; ++chain) term(p + chain, chain);
  }
  for (; p < depth; ++p) term(p, 0);
  for (int64_t r = 0; r < kHeight; ++r) {
    for (int64_t half = 0; half < 2; ++half) {
      store(c.data + r * c.stride + half * kLanes, total_of(sum, r, half));
    }
  }
}

using TileFunction = void (*)(ConstRows, const float*, int64_t, ConstRows, Rows);
inline constexpr TileFunction kTiles[] = {nullptr, tile<1>, tile<2>, tile<3>,
                                          tile<4>, tile<5>, tile<6>};
/// Of products with so few rows: B is read once, front to back, at the rate of memory.
inline constexpr TileFunction kFewTiles[] = {nullptr, tile<1, 4>, tile<2, 2>};

/// A tile of which only `width` columns exist: it is made beside c, and what exists is copied.
inline void narrow_tile(TileFunction tile, ConstRows a, const float* b, int64_t depth,
                        ConstRows start, Rows c, int64_t height, int64_t width) {
  float whole[kRows * kPanel] = {};
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(start.data + r * start.stride, width, whole + r * kPanel);
  }
  tile(a, b, depth, {whole, kPanel}, {whole, kPanel});
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(whole + r * kPanel, width, c.data + r * c.stride);
  }
}

/// c = a bᵀ, block by block. `add` starts from what is in c, otherwise from the bias.
/// `panel_of(j, p, depth)` gives b's panel of columns j to j + 7, terms p to p + depth - 1; it is
/// asked once for every block of rows.
template <class PanelOf>
inline void multiply(ConstRows a, const PanelOf& panel_of, const float* bias, bool add, Rows c,
                     int64_t m, int64_t n, int64_t k) {
  const TileFunction* tiles = m <= kFewRows ? kFewTiles : kTiles;
  for (int64_t i = 0; i < m; i += kBlockRows) {
    const int64_t block_end = std::min(i + kBlockRows, m);
    for (int64_t p = 0; p < k; p += kDepth) {
      const int64_t depth = std::min(kDepth, k - p);
      for (int64_t j = 0; j < n; j += kPanel) {
        const int64_t width = std::min(kPanel, n - j);
        const float* panel = panel_of(j, p, depth);
        float first[kPanel] = {};
        if (bias) std::copy_n(bias + j, width, first);
        for (int64_t r = i; r < block_end; r += kRows) {
          const int64_t height = std::min(kRows, block_end - r);
          const ConstRows rows{a.data + r * a.stride + p, a.stride};
          const Rows to{c.data + r * c.stride + j, c.stride};
          const ConstRows start =
              add || p > 0 ? ConstRows{to.data, to.stride} : ConstRows{first, 0};
          if (width < kPanel) {
            narrow_tile(tiles[height], rows, panel, depth, start, to, height, width);
          } else if (height == kRows) {
            tile<kRows>(rows, panel, depth, start, to);
          } else {
            tiles[height](rows, panel, depth, start, to);
          }
        }
      }
    }
  }
}

}  // namespace attnscope::kernels
