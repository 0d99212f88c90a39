#pragma once

// Register- and cache-blocked matrix product after Goto and van de Geijn 2008, "Anatomy of
// High-Performance Matrix Multiplication". A tile of kTileRows x 8 results stays in registers while
// k runs. B is packed, so that a tile reads it front to back; A is read where it lies, row by row.
// Only the products in this folder use it: how B is stored is theirs.

#include <algorithm>
#include <type_traits>

#include "gemm.h"
#include "vector.h"

namespace attnscope::kernels {

static_assert(kPanel == 2 * kLanes);

// Terms of a pass: a tile's rows of A take 18 kB and stay in L1 while a block of B passes. With
// half of it each tile of C is loaded and stored twice as often (768 to 3072 terms and columns: a
// tenth slower).
inline constexpr int64_t kDepth = 768;
// Columns of a block of B: 390 kB, which stay in L2 while every row of A passes. So what a tile
// reads from L2 is the packed matrix, front to back, as processors fetch ahead; rows of A, which
// lie apart, come from there once for 16 tiles (768 to 3072 terms and columns: a twentieth faster
// than with a panel of B in L1 and a block of A in L2).
inline constexpr int64_t kBlockColumns = 128;

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
  const auto add_terms = [&](auto count) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (int64_t p = 0; p < count; ++p) {
      const Batch left = load(b + p * kPanel), right = load(b + p * kPanel + kLanes);
      auto& sums = sum[p % kChains];
      for (int64_t r = 0; r < kHeight; ++r) {
        const Batch value = spread(rows[r] + p);
        sums[r][0] = madd(value, left, sums[r][0]);
        sums[r][1] = madd(value, right, sums[r][1]);
      }
      for (auto& row : sums) settle(row[0]), settle(row[1]);
    }
    b += count * kPanel;
    for (const float*& row : rows) row += count;
  };
  // Several terms an iteration, and pointers that move instead of an index: where another thread
  // shares the core, instructions decide (measured there: a sixth faster). What is left over, and
  // tiles that are seldom, need not be as fast.
  constexpr int64_t kTerms = kHeight == kTileRows || kChains > 1 ? 4 : 1;
  const float *const end = b + depth * kPanel, *const last = end - depth % kTerms * kPanel;
  while (b != last) add_terms(std::integral_constant<int64_t, kTerms>());
  while (b != end) add_terms(std::integral_constant<int64_t, 1>());
  for (int64_t r = 0; r < kHeight; ++r) {
    for (int64_t half = 0; half < 2; ++half) {
      store(c.data + r * c.stride + half * kLanes, total_of(sum, r, half));
    }
  }
}

using TileFunction = void (*)(ConstRows, const float*, int64_t, ConstRows, Rows);
/// One or two rows are not a part of more (see tile_height()): of such products B is read once,
/// front to back, at the rate of memory.
inline constexpr TileFunction kTiles[] = {nullptr, tile<1, 4>, tile<2, 2>, tile<3>,
                                          tile<4>, tile<5>,    tile<6>};

/// A tile of which only `width` columns exist: it is made beside c, and what exists is copied.
inline void narrow_tile(TileFunction tile, ConstRows a, const float* b, int64_t depth,
                        ConstRows start, Rows c, int64_t height, int64_t width) {
  float whole[kTileRows * kPanel] = {};
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(start.data + r * start.stride, width, whole + r * kPanel);
  }
  tile(a, b, depth, {whole, kPanel}, {whole, kPanel});
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(whole + r * kPanel, width, c.data + r * c.stride);
  }
}

/// Rows of the next tile, of `rest`. The last two are about as high: the sums of a low tile wait
/// for one another. Of more than kFewRows none has so few.
inline int64_t tile_height(int64_t rest) {
  return rest <= kTileRows || rest >= 2 * kTileRows ? std::min(kTileRows, rest) : (rest + 1) / 2;
}

/// c = a bᵀ, block by block. `add` starts from what is in c, otherwise from the bias.
/// `block_of(j, columns, p, depth)` gives the panels of b's columns from j on, terms p to p + depth
/// - 1; they hold until the next call.
template <class BlockOf>
inline void multiply(ConstRows a, const BlockOf& block_of, const float* bias, bool add, Rows c,
                     int64_t m, int64_t n, int64_t k) {
  // For one row of tiles B is read once: front to back.
  const int64_t most = m <= kTileRows ? kPanel : kBlockColumns;
  for (int64_t block = 0; block < n; block += most) {
    const int64_t columns = std::min(most, n - block);
    float first[kBlockColumns] = {};
    if (bias) std::copy_n(bias + block, columns, first);
    for (int64_t p = 0; p < k; p += kDepth) {
      const int64_t depth = std::min(kDepth, k - p);
      const Panels b = block_of(block, columns, p, depth);
      for (int64_t r = 0, height; r < m; r += height) {
        height = tile_height(m - r);
        const ConstRows rows{a.data + r * a.stride + p, a.stride};
        for (int64_t j = 0; j < columns; j += kPanel) {
          const int64_t width = std::min(kPanel, columns - j);
          const float* panel = b.data + j * b.depth;
          const Rows to{c.data + r * c.stride + block + j, c.stride};
          const ConstRows start =
              add || p > 0 ? ConstRows{to.data, to.stride} : ConstRows{first + j, 0};
          if (width < kPanel) {
            narrow_tile(kTiles[height], rows, panel, depth, start, to, height, width);
          } else if (height == kTileRows) {
            tile<kTileRows>(rows, panel, depth, start, to);
          } else {
            kTiles[height](rows, panel, depth, start, to);
          }
        }
      }
    }
  }
}

}  // namespace attnscope::kernels
