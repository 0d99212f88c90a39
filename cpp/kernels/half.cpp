// A word of a packed panel holds a number of column j below and one of column j + 4 above: both are
// widened by a shift or a mask, without a shuffle.

#include "half.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "blocks.h"
#include "tile.h"
#include "vector.h"
#include "widen.h"

namespace attnscope::kernels {
namespace {

/// A panel starts with this many uint16_t, of which the first is 1 if it is stored shifted.
constexpr int64_t kHeader = kPanel;

inline int32_t bits(float x) { return std::bit_cast<int32_t>(x); }

/// Numbers as float16, in the lower half of each word.
Ints narrow_float16(Batch x) {
  const Ints word = xsimd::bitwise_cast<int32_t>(x), sign = (word >> 16) & Ints(0x8000);
  const Ints magnitude = word & Ints(0x7fffffff);
  // Normal: round away 13 bits of the fraction, a carry goes to the exponent; rebias.
  const Ints tie = (magnitude >> 13) & Ints(1);
  const Ints normal = ((magnitude + Ints(0xfff) + tie) >> 13) - Ints(112 << 10);
  // Subnormal: a multiple of 2^-24, which is the last bit of a float32 that 0.5 is added to.
  const Batch shifted = xsimd::bitwise_cast<float>(magnitude) + Batch(0.5f);
  const Ints subnormal = xsimd::bitwise_cast<int32_t>(shifted) - Ints(bits(0.5f));
  Ints half = xsimd::select(magnitude < Ints(bits(0x1p-14f)), subnormal, normal);
  half = xsimd::select(magnitude < Ints(bits(65520.0f)), half, Ints(0x7c00));
  half = xsimd::select(magnitude > Ints(bits(INFINITY)), Ints(0x7e00), half);
  return half | sign;
}

/// Numbers as bfloat16, in the lower half of each word.
Ints narrow_bfloat16(Batch x) {
  const Ints word = xsimd::bitwise_cast<int32_t>(x), magnitude = word & Ints(0x7fffffff);
  const Ints sign = (word >> 16) & Ints(0x8000), tie = (magnitude >> 16) & Ints(1);
  const Ints rounded = (magnitude + Ints(0x7fff) + tie) >> 16;
  return xsimd::select(magnitude > Ints(bits(INFINITY)), Ints(0x7fc0), rounded) | sign;
}

/// Calls `work` with whole vectors of 8 numbers, the last of them beside the arrays.
template <class From, class To, class Work>
void by_eights(const From* from, int64_t count, To* to, const Work& work) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) work(from + i, to + i);
  if (i == count) return;
  From tail[8] = {};
  To result[8];
  std::copy_n(from + i, count - i, tail);
  work(tail, result);
  std::copy_n(result, count - i, to + i);
}

template <Ints (*narrow)(Batch)>
void narrow_eight(const float* from, uint16_t* to) {
  const Ints low = narrow(load(from)), high = narrow(load(from + kLanes));
#ifdef __wasm_simd128__
  wasm_v128_store(to, wasm_u16x8_narrow_i32x4(low, high));
#else
  int32_t words[8];
  low.store_unaligned(words);
  high.store_unaligned(words + kLanes);
  std::copy_n(words, 8, to);
#endif
}

template <Stored kStored>
void widen_eight(const uint16_t* from, float* to) {
  const Ints words = load_words(from);
  const Batch even = widen_lower<kStored>(words), odd = widen<kStored>(words);
  store(to, xsimd::zip_lo(even, odd));
  store(to + kLanes, xsimd::zip_hi(even, odd));
}

template <Stored kStored>
void widen_panel(const uint16_t* from, int64_t depth, float* to) {
  for (int64_t p = 0; p < depth; ++p, from += kPanel, to += kPanel) {
    const Ints words = load_words(from);
    store(to, widen_lower<kStored>(words));
    store(to + kLanes, widen<kStored>(words));
  }
}

template <Stored kStored>
struct HalfPanel {
  using Number = uint16_t;
  // Measured with 3072 x 768 weights and two rows: float16 twice as fast with it, bfloat16 a tenth
  // slower, with one row a third.
  static constexpr bool kSettles = kStored != Stored::kBfloat16;
  static PanelTerm load(const uint16_t* at) {
    const Ints words = load_words(at);
    return {widen_lower<kStored>(words), widen<kStored>(words)};
  }
};

using FewTile = void (*)(ConstRows, const uint16_t*, int64_t, ConstRows, Rows);

/// Tiles of few rows, which widen as they go. More rows than kFewRows are multiplied with panels
/// that are widened into a buffer: the tile then computes from the cache while memory is ahead
/// (measured with 4096 x 4096 weights and 3 rows: 1.6 times float32's rate, in registers 0.9
/// times). Panels with large numbers are seldom: their code is to be small.
template <Stored kStored, int64_t kChains = kStored == Stored::kFloat16 ? 1 : 4>
constexpr FewTile kFewTiles[] = {nullptr, tile<1, kChains, HalfPanel<kStored>>,
                                 tile<2, (kChains + 1) / 2, HalfPanel<kStored>>};

/// What is done with a panel depends on how it is stored.
struct Treatment {
  void (*widened)(const uint16_t*, int64_t, float*);
  const FewTile* few;
};

template <Stored kStored>
constexpr Treatment kTreatment = {widen_panel<kStored>, kFewTiles<kStored>};

Treatment treatment(HalfFormat format, const uint16_t* panel) {
  if (format == HalfFormat::kBfloat16) return kTreatment<Stored::kBfloat16>;
  return panel[0] ? kTreatment<Stored::kShifted> : kTreatment<Stored::kFloat16>;
}

/// Few rows: B is read from memory once, front to back, and decides the time.
void multiply_few(ConstRows a, HalfPanels b, const float* bias, Rows c, int64_t m, int64_t n) {
  const uint16_t* panel = b.data;
  for (int64_t j = 0; j < n; j += kPanel, panel += half_size(kPanel, b.depth)) {
    const int64_t width = std::min(kPanel, n - j);
    float first[kPanel] = {}, whole[kFewRows * kPanel];
    if (bias) std::copy_n(bias + j, width, first);
    constexpr int64_t kTerms = 2 * kTileTerms;
    const FewTile tile = treatment(b.format, panel).few[m];
    for (int64_t p = 0; p == 0 || p < b.depth; p += kTerms) {
      const ConstRows start = p == 0 ? ConstRows{first, 0} : ConstRows{whole, kPanel};
      tile({a.data + p, a.stride}, panel + kHeader + p * kPanel, std::min(kTerms, b.depth - p),
           start, {whole, kPanel});
    }
    for (int64_t r = 0; r < m; ++r) {
      std::copy_n(whole + r * kPanel, width, c.data + r * c.stride + j);
    }
  }
}

/// Whether shifted numbers can hold a row of float16: all are below 2^7.
bool shiftable(const uint16_t* row, int64_t k) {
  return std::all_of(row, row + k, [](int half) { return (half & 0x7c00) < (22 << 10); });
}

/// A float16 below 2^7 as a shifted number.
uint16_t shifted(int half) {
  const int sign = half & 0x8000, magnitude = half & 0x7fff;
  if (magnitude >= 0x400) return static_cast<uint16_t>(half + (10 << 10));
  if (magnitude == 0) return static_cast<uint16_t>(half);
  const int digits = std::bit_width(static_cast<unsigned>(magnitude));
  return static_cast<uint16_t>(sign | digits << 10 | ((magnitude << (11 - digits)) & 0x3ff));
}

}  // namespace

void to_half(const float* from, int64_t count, HalfFormat format, uint16_t* to) {
  if (format == HalfFormat::kFloat16) {
    by_eights(from, count, to, narrow_eight<narrow_float16>);
  } else {
    by_eights(from, count, to, narrow_eight<narrow_bfloat16>);
  }
}

void from_half(const uint16_t* from, int64_t count, HalfFormat format, float* to) {
  if (format == HalfFormat::kFloat16) {
    by_eights(from, count, to, widen_eight<Stored::kFloat16>);
  } else {
    by_eights(from, count, to, widen_eight<Stored::kBfloat16>);
  }
}

void pack_half(const uint16_t* b, int64_t stride, int64_t n, int64_t k, HalfFormat format,
               uint16_t* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel, packed += half_size(kPanel, k)) {
    std::fill_n(packed, half_size(kPanel, k), uint16_t{0});
    const int64_t width = std::min(kPanel, n - panel);
    bool shift = format == HalfFormat::kFloat16;
    for (int64_t j = 0; shift && j < width; ++j) shift = shiftable(b + (panel + j) * stride, k);
    packed[0] = shift;
    for (int64_t j = 0; j < width; ++j) {
      const uint16_t* row = b + (panel + j) * stride;
      uint16_t* to = packed + kHeader + j % kLanes * 2 + j / kLanes;
      for (int64_t p = 0; p < k; ++p) to[p * kPanel] = shift ? shifted(row[p]) : row[p];
    }
  }
}

int64_t half_scratch(int64_t n, int64_t k) {
  return padded(std::min(n, kBlockColumns)) * std::min(k, kBlockTerms);
}

void gemm_half(ConstRows a, HalfPanels b, const float* bias, Rows c, int64_t m, int64_t n,
               float* scratch) {
  if (m <= kFewRows) return multiply_few(a, b, bias, c, m, n);
  const int64_t most = block_columns(m);
  for (int64_t j = 0; j < n; j += most) {
    const int64_t columns = std::min(most, n - j);
    for (int64_t p = 0; p < b.depth; p += kBlockTerms) {
      const int64_t terms = std::min(kBlockTerms, b.depth - p);
      for (int64_t offset = 0; offset < columns; offset += kPanel) {
        const uint16_t* panel = b.data + half_size(j + offset, b.depth);
        treatment(b.format, panel)
            .widened(panel + kHeader + p * kPanel, terms, scratch + offset * terms);
      }
      const ConstRows rows{a.data + p, a.stride};
      const Rows to{c.data + j, c.stride};
      const Panels panels{scratch, terms};
      if (p > 0) {
        gemm_add(rows, panels, to, m, columns, terms);
      } else {
        gemm(rows, panels, bias ? bias + j : nullptr, to, m, columns, terms);
      }
    }
  }
}

}  // namespace attnscope::kernels
