// Register- and cache-blocked matrix product after Goto and van de Geijn 2008, "Anatomy of
// High-Performance Matrix Multiplication". A tile of kRows x 8 results stays in registers while k
// runs; A is packed in strips of kRows so that the tile reads both operands front to back.

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

// A panel of B (kDepth x 8) and a strip of A take 21 kB: both stay in a 32 kB L1 cache.
constexpr int64_t kDepth = 384;
// A block of A takes 180 kB: it stays in L2 while every panel of B passes.
constexpr int64_t kBlockRows = 20 * kRows;

/// Strips of kRows rows, each k-major; a short last strip is padded with zeros.
void pack_rows(const float* a, int64_t stride, int64_t rows, int64_t depth, float* packed) {
  for (int64_t strip = 0; strip < rows; strip += kRows) {
    const int64_t height = std::min(kRows, rows - strip);
    for (int64_t r = 0; r < kRows; ++r) {
      const float* from = a + (strip + r) * stride;
      for (int64_t p = 0; p < depth; ++p) packed[p * kRows + r] = r < height ? from[p] : 0.0f;
    }
    packed += kRows * depth;
  }
}

struct Tile {
  Batch sum[kRows][2];
};

inline void multiply(const float* a, const float* b, int64_t depth, Tile& tile) {
  for (int64_t p = 0; p < depth; ++p) {
    const Batch left = load(b), right = load(b + kLanes);
    for (int64_t r = 0; r < kRows; ++r) {
      const Batch value(a[r]);
      tile.sum[r][0] = madd(value, left, tile.sum[r][0]);
      tile.sum[r][1] = madd(value, right, tile.sum[r][1]);
    }
    a += kRows;
    b += kColumns;
  }
}

/// A whole tile: starts from the bias, or from what earlier depths left in c.
inline void full_tile(const float* a, const float* b, const float* bias, bool first, int64_t depth,
                      float* c, int64_t stride) {
  Tile tile;
  for (int64_t r = 0; r < kRows; ++r) {
    const float* start = first ? bias : c + r * stride;
    tile.sum[r][0] = load(start);
    tile.sum[r][1] = load(start + kLanes);
  }
  multiply(a, b, depth, tile);
  for (int64_t r = 0; r < kRows; ++r) {
    store(c + r * stride, tile.sum[r][0]);
    store(c + r * stride + kLanes, tile.sum[r][1]);
  }
}

/// A tile at the edge: computed whole beside c, then the part that exists is copied.
void edge_tile(const float* a, const float* b, const float* bias, bool first, int64_t depth,
               float* c, int64_t stride, int64_t height, int64_t width) {
  float whole[kRows * kColumns] = {};
  if (!first) {
    for (int64_t r = 0; r < height; ++r) std::copy_n(c + r * stride, width, whole + r * kColumns);
  }
  full_tile(a, b, bias, first, depth, whole, kColumns);
  for (int64_t r = 0; r < height; ++r) std::copy_n(whole + r * kColumns, width, c + r * stride);
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

int64_t gemm_scratch_size() { return kBlockRows * kDepth; }

void gemm(const float* a, const float* packed, const float* bias, float* c, int64_t m, int64_t n,
          int64_t k, float* scratch) {
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    for (int64_t i = 0; i < m; i += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, m - i);
      pack_rows(a + i * k + p, k, rows, depth, scratch);
      for (int64_t j = 0; j < n; j += kColumns) {
        const int64_t width = std::min(kColumns, n - j);
        const float* panel = packed + j * k + p * kColumns;
        float start[kColumns] = {};
        if (bias) std::copy_n(bias + j, width, start);
        for (int64_t r = 0; r < rows; r += kRows) {
          const int64_t height = std::min(kRows, rows - r);
          const float* strip = scratch + r * depth;
          float* tile = c + (i + r) * n + j;
          if (height == kRows && width == kColumns) {
            full_tile(strip, panel, start, p == 0, depth, tile, n);
          } else {
            edge_tile(strip, panel, start, p == 0, depth, tile, n, height, width);
          }
        }
      }
    }
  }
}

}  // namespace attnscope::kernels
