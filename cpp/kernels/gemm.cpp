// Register- and cache-blocked matrix product after Goto and van de Geijn 2008, "Anatomy of
// High-Performance Matrix Multiplication". A tile of kRows x 8 results stays in registers while k
// runs. B is packed, so that a tile reads it front to back; A is read where it lies, row by row.

#include "gemm.h"

#include <algorithm>

#include "vector.h"

namespace attnscope::kernels {
namespace {

// V8's register allocator decides the tile: with relaxed madd 6 rows run at the machine's peak,
// with separate multiply and add the sixth row spills (measured: 60 against 32 GFLOP/s).
#ifdef __wasm_relaxed_simd__
constexpr int64_t kRows = 6;
#else
constexpr int64_t kRows = 5;
#endif
constexpr int64_t kColumns = 2 * kLanes;

// A panel of B (kDepth x 8) takes 12 kB and kRows rows of A 9 kB: both stay in a 32 kB L1 cache.
constexpr int64_t kDepth = 384;
// A block of A takes 180 kB: it stays in L2 while every panel of B passes.
constexpr int64_t kBlockRows = 20 * kRows;

struct Tile {
  Batch sum[kRows][2];
};

/// Adds to the tile the products of kRows rows of A, `stride` apart, with a panel of B.
inline void multiply(const float* a, int64_t stride, const float* b, int64_t depth, Tile& tile) {
  const float* rows[kRows];
  for (int64_t r = 0; r < kRows; ++r) rows[r] = a + r * stride;
  for (int64_t p = 0; p < depth; ++p) {
    const Batch left = load(b), right = load(b + kLanes);
    for (int64_t r = 0; r < kRows; ++r) {
      const Batch value(rows[r][p]);
      tile.sum[r][0] = madd(value, left, tile.sum[r][0]);
      tile.sum[r][1] = madd(value, right, tile.sum[r][1]);
    }
    b += kColumns;
  }
}

/// Where a tile starts: from the bias, or from what earlier depths left in c.
struct Start {
  const float* values;
  int64_t stride;
};

/// A whole tile of c, whose rows lie c_stride apart.
inline void full_tile(const float* a, int64_t a_stride, const float* b, int64_t depth, Start start,
                      float* c, int64_t c_stride) {
  Tile tile;
  for (int64_t r = 0; r < kRows; ++r) {
    tile.sum[r][0] = load(start.values + r * start.stride);
    tile.sum[r][1] = load(start.values + r * start.stride + kLanes);
  }
  multiply(a, a_stride, b, depth, tile);
  for (int64_t r = 0; r < kRows; ++r) {
    store(c + r * c_stride, tile.sum[r][0]);
    store(c + r * c_stride + kLanes, tile.sum[r][1]);
  }
}

/// A tile of which only `height` rows or `width` columns exist: the rows of A are copied so that
/// nothing past its end is read, the tile is computed whole, and what exists of it is copied out.
void edge_tile(const float* a, int64_t a_stride, const float* b, int64_t depth, Start start,
               float* c, int64_t c_stride, int64_t height, int64_t width) {
  float rows[kRows * kDepth] = {};
  float whole[kRows * kColumns] = {};
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(a + r * a_stride, depth, rows + r * depth);
    std::copy_n(start.values + r * start.stride, width, whole + r * kColumns);
  }
  full_tile(rows, depth, b, depth, {whole, kColumns}, whole, kColumns);
  for (int64_t r = 0; r < height; ++r) std::copy_n(whole + r * kColumns, width, c + r * c_stride);
}

}  // namespace

int64_t packed_size(int64_t n, int64_t k) { return (n + kColumns - 1) / kColumns * kColumns * k; }

void pack_transposed(const float* b, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kColumns) {
    for (int64_t j = 0; j < kColumns; ++j) {
      const float* from = b + (panel + j) * k;
      for (int64_t p = 0; p < k; ++p) packed[p * kColumns + j] = panel + j < n ? from[p] : 0.0f;
    }
    packed += kColumns * k;
  }
}

void pack_plain(const float* b, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kColumns) {
    const int64_t width = std::min(kColumns, n - panel);
    for (int64_t p = 0; p < k; ++p) {
      float* to = packed + p * kColumns;
      std::fill(std::copy_n(b + p * n + panel, width, to), to + kColumns, 0.0f);
    }
    packed += kColumns * k;
  }
}

void gemm(const float* a, const float* packed, const float* bias, float* c, int64_t m, int64_t n,
          int64_t k) {
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    for (int64_t i = 0; i < m; i += kBlockRows) {
      const int64_t block_end = std::min(i + kBlockRows, m);
      for (int64_t j = 0; j < n; j += kColumns) {
        const int64_t width = std::min(kColumns, n - j);
        const float* panel = packed + j * k + p * kColumns;
        float first[kColumns] = {};
        if (bias) std::copy_n(bias + j, width, first);
        for (int64_t r = i; r < block_end; r += kRows) {
          const int64_t height = std::min(kRows, block_end - r);
          const float* rows = a + r * k + p;
          float* tile = c + r * n + j;
          const Start start = p == 0 ? Start{first, 0} : Start{tile, n};
          if (height == kRows && width == kColumns) {
            full_tile(rows, k, panel, depth, start, tile, n);
          } else {
            edge_tile(rows, k, panel, depth, start, tile, n, height, width);
          }
        }
      }
    }
  }
}

}  // namespace attnscope::kernels
