// Register- and cache-blocked matrix product after Goto and van de Geijn 2008, "Anatomy of
// High-Performance Matrix Multiplication". A tile of kTileRows x 8 results stays in registers while
// its terms are added. B is packed, so that a tile reads it front to back; A is read where it lies,
// row by row. How large a block of B is, and why, stands in blocks.h.

#include "gemm.h"

#include <algorithm>

#include "blocks.h"
#include "tile.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

/// Four rows of 4, `stride` apart, as four columns, `to_stride` apart.
inline void transpose(const float* from, int64_t stride, float* to, int64_t to_stride = kPanel) {
  Batch rows[] = {load(from), load(from + stride), load(from + 2 * stride),
                  load(from + 3 * stride)};
  const Batch a = xsimd::zip_lo(rows[0], rows[2]), b = xsimd::zip_lo(rows[1], rows[3]);
  const Batch c = xsimd::zip_hi(rows[0], rows[2]), d = xsimd::zip_hi(rows[1], rows[3]);
  store(to, xsimd::zip_lo(a, b));
  store(to + to_stride, xsimd::zip_hi(a, b));
  store(to + 2 * to_stride, xsimd::zip_lo(c, d));
  store(to + 3 * to_stride, xsimd::zip_hi(c, d));
}

/// Panels that a single row is multiplied by at once. Such a product takes as long as reading B,
/// and memory is read faster in four places at once (measured with 226 MB of weights: 11.4 against
/// 8.4 GB/s; caches give each way what they can).
constexpr int64_t kRowPanels = 4;

constexpr float kZeros[kRowPanels * kPanel] = {};

using TileFunction = void (*)(ConstRows, const float*, int64_t, ConstRows, Rows);
/// By height; a single row is multiply_row()'s. Two rows are not a part of more (see
/// tile_height()): of such products B is read once, front to back, at the rate of memory.
constexpr TileFunction kTiles[] = {
    nullptr, nullptr, tile<2, 2>, tile<3>, tile<4>, tile<5>, kTileRows == 6 ? tile<6> : nullptr};

/// tile(a, b, depth, start, c) for each kTileTerms terms, whose sums are added to one another
/// before they are added to `start`: what is in c already may be the sum of many more.
template <class Tile>
[[gnu::always_inline]] inline void tile_of_any_depth(Tile tile, ConstRows a, const float* b,
                                                     int64_t depth, ConstRows start, Rows c,
                                                     int64_t height) {
  float sums[kTileRows * kPanel];
  const bool few = depth <= kTileTerms;
  ConstRows from = few ? start : ConstRows{kZeros, 0};
  const Rows to = few ? c : Rows{sums, kPanel};
  for (const float* const end = b + depth * kPanel; b < end; b += kTileTerms * kPanel) {
    tile(a, b, std::min(kTileTerms, (end - b) / kPanel), from, to);
    a.data += kTileTerms;
    from = {to.data, to.stride};
  }
  for (int64_t r = 0; r < height && !few; ++r) {
    for (int64_t j = 0; j < kPanel; j += kLanes) {
      const Batch sum = load(sums + r * kPanel + j);
      store(c.data + r * c.stride + j, load(start.data + r * start.stride + j) + sum);
    }
  }
}

/// A tile lower than most, for which a copy of the loop is not worth its bytes.
[[gnu::noinline]] void low_tile(TileFunction tile, ConstRows a, const float* b, int64_t depth,
                                ConstRows start, Rows c, int64_t height) {
  tile_of_any_depth(tile, a, b, depth, start, c, height);
}

/// A tile of which only `width` columns exist: it is made beside c, and what exists is copied.
void narrow_tile(TileFunction tile, ConstRows a, const float* b, int64_t depth, ConstRows start,
                 Rows c, int64_t height, int64_t width) {
  float whole[kTileRows * kPanel] = {};
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(start.data + r * start.stride, width, whole + r * kPanel);
  }
  low_tile(tile, a, b, depth, {whole, kPanel}, {whole, kPanel}, height);
  for (int64_t r = 0; r < height; ++r) {
    std::copy_n(whole + r * kPanel, width, c.data + r * c.stride);
  }
}

/// Rows of the next tile, of `rest`. The last two are about as high: the sums of a low tile wait
/// for one another. Of more than kFewRows none has so few.
int64_t tile_height(int64_t rest) {
  return rest <= kTileRows || rest >= 2 * kTileRows ? std::min(kTileRows, rest) : (rest + 1) / 2;
}

/// The first column of the block of `size` columns that is read after blocks of `done` columns.
int64_t next_block(const Panels& b, int64_t n, int64_t size, int64_t done) {
  return b.backwards ? (n - 1) / size * size - done : done;
}

/// sums[j] += Σ_p a[p] b[j, p] for the `depth` terms and the columns of kRowPanels panels, `stride`
/// apart. Panel `last` stands in for panels after it, which do not exist.
void add_row_terms(const float* a, const float* b, int64_t stride, int64_t last, int64_t depth,
                   float* sums) {
  Batch terms[kRowPanels][2];
  const float* panel[kRowPanels];
  for (int64_t i = 0; i < kRowPanels; ++i) {
    panel[i] = b + std::min(i, last) * stride;
    terms[i][0] = terms[i][1] = Batch(0.0f);
  }
  for (const float* const end = a + depth; a < end; ++a) {
    const Batch value = spread(a);
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kRowPanels; ++i) {
      terms[i][0] = madd(value, load(panel[i]), terms[i][0]);
      terms[i][1] = madd(value, load(panel[i] + kLanes), terms[i][1]);
      panel[i] += kPanel;
    }
  }
  for (int64_t i = 0; i < kRowPanels; ++i, sums += kPanel) {
    store(sums, load(sums) + terms[i][0]);
    store(sums + kLanes, load(sums + kLanes) + terms[i][1]);
  }
}

/// multiply() of one row. As in its tiles, sums of few terms are added to one another before they
/// are added to the sum of many.
void multiply_row(const float* a, Panels b, const float* bias, bool add, float* c, int64_t n,
                  int64_t k) {
  constexpr int64_t kColumns = kRowPanels * kPanel;
  for (int64_t done = 0; done < n; done += kColumns) {
    const int64_t j = next_block(b, n, kColumns, done);
    const int64_t width = std::min(kColumns, n - j), last = (width - 1) / kPanel;
    const float* start = add ? c + j : bias ? bias + j : kZeros;
    for (int64_t p = 0; p < k;) {
      float sums[kColumns] = {};
      for (const int64_t end = std::min(p + kBlockTerms, k); p < end; p += kTileTerms) {
        add_row_terms(a + p, b.data + j * b.depth + p * kPanel, kPanel * b.depth, last,
                      std::min(kTileTerms, end - p), sums);
      }
      for (int64_t column = 0; column < width; ++column) {
        c[j + column] = start[column] + sums[column];
      }
      start = c + j;
    }
  }
}

/// c = a bᵀ, block by block. `add` starts from what is in c, otherwise from the bias.
void multiply(ConstRows a, Panels b, const float* bias, bool add, Rows c, int64_t m, int64_t n,
              int64_t k) {
  if (m == 1) return multiply_row(a.data, b, bias, add, c.data, n, k);
  const int64_t most = block_columns(m);
  for (int64_t done = 0; done < n; done += most) {
    const int64_t block = next_block(b, n, most, done), columns = std::min(most, n - block);
    for (int64_t p = 0; p < k; p += kBlockTerms) {
      const int64_t depth = std::min(kBlockTerms, k - p);
      for (int64_t r = 0, height; r < m; r += height) {
        height = tile_height(m - r);
        const ConstRows rows{a.data + r * a.stride + p, a.stride};
        for (int64_t j = 0; j < columns; j += kPanel) {
          const int64_t width = std::min(kPanel, columns - j);
          const float* panel = b.data + (block + j) * b.depth + p * kPanel;
          const Rows to{c.data + r * c.stride + block + j, c.stride};
          const ConstRows start = add || p > 0 ? ConstRows{to.data, to.stride}
                                               : ConstRows{bias ? bias + block + j : kZeros, 0};
          if (width < kPanel) {
            narrow_tile(kTiles[height], rows, panel, depth, start, to, height, width);
          } else if (height == kTileRows) {
            tile_of_any_depth(tile<kTileRows, 1, FloatPanel, 4>, rows, panel, depth, start, to,
                              height);
          } else {
            low_tile(kTiles[height], rows, panel, depth, start, to, height);
          }
        }
      }
    }
  }
}

}  // namespace

void pack_transposed(const float* b, int64_t stride, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel) {
    const int64_t width = std::min(kPanel, n - panel);
    const float* from = b + panel * stride;
    int64_t p = 0;
    if (width == kPanel) {
      for (; p + kLanes <= k; p += kLanes) {
        transpose(from + p, stride, packed + p * kPanel);
        transpose(from + kLanes * stride + p, stride, packed + p * kPanel + kLanes);
      }
    }
    for (; p < k; ++p) {
      for (int64_t j = 0; j < kPanel; ++j) {
        packed[p * kPanel + j] = j < width ? from[j * stride + p] : 0.0f;
      }
    }
    packed += kPanel * k;
  }
}

void pack_plain(const float* b, int64_t stride, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel) {
    const int64_t width = std::min(kPanel, n - panel);
    const float* from = b + panel;
    for (int64_t p = 0; p < k; ++p, from += stride, packed += kPanel) {
      if (width == kPanel) {
        store(packed, load(from));
        store(packed + kLanes, load(from + kLanes));
      } else {
        std::fill(std::copy_n(from, width, packed), packed + kPanel, 0.0f);
      }
    }
  }
}

void turn(ConstRows from, int64_t rows, int64_t columns, Rows to) {
  constexpr int64_t kColumns = 16;  // a cache line of each row
  const int64_t whole_rows = rows / kLanes * kLanes, whole_columns = columns / kLanes * kLanes;
  for (int64_t first = 0; first < whole_columns; first += kColumns) {
    const int64_t end = std::min(first + kColumns, whole_columns);
    for (int64_t i = 0; i < whole_rows; i += kLanes) {
      for (int64_t j = first; j < end; j += kLanes) {
        transpose(from.data + i * from.stride + j, from.stride, to.data + j * to.stride + i,
                  to.stride);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      to.data[j * to.stride + i] = from.data[i * from.stride + j];
    }
  }
}

void gemm(ConstRows a, Panels b, const float* bias, Rows c, int64_t m, int64_t n, int64_t k) {
  multiply(a, b, bias, false, c, m, n, k);
}

void gemm_add(ConstRows a, Panels b, Rows c, int64_t m, int64_t n, int64_t k) {
  multiply(a, b, nullptr, true, c, m, n, k);
}

}  // namespace attnscope::kernels
