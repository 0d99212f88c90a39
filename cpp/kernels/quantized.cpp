// Tiles as in gemm.cpp; a block of A stays in L2, and k is never cut: operands are small. A
// and B lie in steps of kTerms terms: for each step, a word of every row of a tile, then the next
// step. So one load brings a step of 4 columns of B, and one load-and-spread a step of a row of A.

#include "quantized.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "vector.h"

namespace attnscope::kernels {
namespace {

#if defined(__wasm_relaxed_simd__) || !defined(__wasm_simd128__)
constexpr int64_t kTerms = 4;  // bytes in a word
using Term = uint8_t;
#else
constexpr int64_t kTerms = 2;  // 16 bits each: there is no product of bytes
using Term = int16_t;
#endif

// 6 rows x 2 vectors of sums, two of weights and one of a row: the 15 registers that V8 has. Fewer
// rows are slower, and so is a longer step (measured with both instruction sets).
constexpr int64_t kRows = 6;
constexpr int64_t kBlockBytes = 256 * 1024;

/// A step of 4 columns of B.
inline Ints load_weights(const int8_t* from) {
#if defined(__wasm_simd128__) && !defined(__wasm_relaxed_simd__)
  return wasm_i16x8_load8x8(from);
#else
  return Ints::load_unaligned(reinterpret_cast<const int32_t*>(from));
#endif
}

/// sum + the products of a step.
inline Ints dot(Ints weights, Ints terms, Ints sum) {
#if defined(__wasm_relaxed_simd__)
  return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(weights, terms, sum);
#elif defined(__wasm_simd128__)
  return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(weights, terms));
#else
  for (const int shift : {0, 8, 16, 24}) {
    sum += ((weights << (24 - shift)) >> 24) * ((terms << (24 - shift)) >> 24);
  }
  return sum;
#endif
}

/// Sums that one step adds to must wait for the step before: few rows spread over several.
constexpr int64_t chains(int64_t height) { return height == 1 ? 4 : height <= 3 ? 2 : 1; }

/// A tile of c from kHeight quantized rows and a panel of B, added to what is in `start`.
template <int64_t kHeight>
void quantized_tile(const int32_t* a, const int32_t* b, int64_t steps, ConstRows start, Rows c) {
  constexpr int64_t kChains = chains(kHeight);
  const int32_t *scales = a, *zeros = a + kHeight, *terms = a + 2 * kHeight;
  const int32_t* sums = b + kPanel;
  const auto* weights = reinterpret_cast<const int8_t*>(b + 2 * kPanel);

  // Σ (q_a - zero) q_b = Σ q_a q_b - zero Σ q_b
  Ints sum[kChains][kHeight][2];
  for (int64_t r = 0; r < kHeight; ++r) {
    for (int64_t chain = 1; chain < kChains; ++chain) {
      sum[chain][r][0] = sum[chain][r][1] = Ints(0);
    }
    const Ints zero = spread(zeros + r);
    sum[0][r][0] = -(zero * load(sums));
    sum[0][r][1] = -(zero * load(sums + kLanes));
  }
  const auto step = [&](int64_t chain) {
    const Ints left = load_weights(weights), right = load_weights(weights + kLanes * kTerms);
    for (int64_t r = 0; r < kHeight; ++r) {
      const Ints values = spread(terms + r);
      sum[chain][r][0] = dot(left, values, sum[chain][r][0]);
      sum[chain][r][1] = dot(right, values, sum[chain][r][1]);
    }
    weights += kPanel * kTerms;
    terms += kHeight;
  };
  for (; steps >= kChains; steps -= kChains) {
    for (int64_t chain = 0; chain < kChains; ++chain) step(chain);
  }
  for (; steps > 0; --steps) step(0);

  for (int64_t r = 0; r < kHeight; ++r) {
    const Batch scale = xsimd::bitwise_cast<float>(spread(scales + r));
    for (int64_t half = 0; half < 2; ++half) {
      const Ints total = total_of(sum, r, half);
      const int64_t j = half * kLanes;
      store(c.data + r * c.stride + j,
            xsimd::to_float(total) * (scale * xsimd::bitwise_cast<float>(load(b + j))) +
                load(start.data + r * start.stride + j));
    }
  }
}

using QuantizedTile = void (*)(const int32_t*, const int32_t*, int64_t, ConstRows, Rows);
constexpr QuantizedTile kQuantizedTiles[] = {
    nullptr,           quantized_tile<1>, quantized_tile<2>, quantized_tile<3>,
    quantized_tile<4>, quantized_tile<5>, quantized_tile<6>};

/// Words of a quantized row: its scale, its zero and its terms.
constexpr int64_t row_words(int64_t k) { return 2 + padded_terms(k) / kTerms; }

struct Range {
  float low, high;  // with 0 between them
  bool finite;
};

Range range_of(const float* row, int64_t k) {
  Batch low(0.0f), high(0.0f), spoiled(0.0f);
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
    const Batch x = load(row + p);
#ifdef __wasm_simd128__
    low = wasm_f32x4_pmin(low, x), high = wasm_f32x4_pmax(high, x);
#else
    low = xsimd::min(low, x), high = xsimd::max(high, x);
#endif
    spoiled += x * 0.0f;  // NaN from NaN and infinity
  }
  float check = xsimd::reduce_add(spoiled);
  Range range{xsimd::reduce_min(low), xsimd::reduce_max(high), true};
  for (; p < k; ++p) {
    range.low = std::min(range.low, row[p]);
    range.high = std::max(range.high, row[p]);
    check += row[p] * 0.0f;
  }
  range.finite = check == 0.0f;
  return range;
}

/// Added to 1.5 2^23, a number is rounded to an integer in the low bits.
constexpr float kShift = 0x1.8p23f;

/// The affine scale of a row of A.
struct Affine {
  float scale, inverse, zero;
};

Affine affine(Range range) {
  // Divided before they are subtracted: the difference may overflow. Below FLT_MIN the inverse
  // would.
  const float scale = std::max(range.high / 127.0f - range.low / 127.0f, FLT_MIN);
  const float inverse = 1.0f / scale;
  return {scale, inverse, std::min(std::nearbyint(-range.low * inverse), 127.0f)};
}

inline Term quantized(float x, float inverse, float shift) {
  const int32_t q = std::bit_cast<int32_t>(x * inverse + shift) - std::bit_cast<int32_t>(kShift);
  return static_cast<Term>(std::clamp(q, 0, 127));
}

/// Writes a row's terms, one word for every `height`.
void quantize_terms(const float* row, int64_t k, Affine how, int64_t height, int32_t* words) {
  const float shift = kShift + how.zero;
  int64_t p = 0;
#ifdef __wasm_simd128__
  const Batch inverse(how.inverse), shifts(shift);
  const Ints origin(std::bit_cast<int32_t>(kShift));
  const auto four = [&](const float* from) {
    return wasm_i32x4_sub(load(from) * inverse + shifts, origin);
  };
  const v128_t zero = wasm_i32x4_const_splat(0);
  for (; p + 4 * kTerms <= k; p += 4 * kTerms) {
    const float* from = row + p;
    v128_t q = wasm_i16x8_narrow_i32x4(four(from), four(from + kLanes));
#ifdef __wasm_relaxed_simd__
    const v128_t next = wasm_i16x8_narrow_i32x4(four(from + 2 * kLanes), four(from + 3 * kLanes));
    q = wasm_i8x16_max(wasm_i8x16_narrow_i16x8(q, next), zero);  // narrowing stops at 127
#else
    q = wasm_i16x8_max(wasm_i16x8_min(q, wasm_i16x8_const_splat(127)), zero);
#endif
    wasm_v128_store32_lane(words, q, 0);
    wasm_v128_store32_lane(words + height, q, 1);
    wasm_v128_store32_lane(words + 2 * height, q, 2);
    wasm_v128_store32_lane(words + 3 * height, q, 3);
    words += 4 * height;
  }
#endif
  for (; p < padded_terms(k); p += kTerms, words += height) {
    Term terms[kTerms];
    for (int64_t t = 0; t < kTerms; ++t) {
      terms[t] = p + t < k ? quantized(row[p + t], how.inverse, shift) : Term{0};
    }
    *words = std::bit_cast<int32_t>(terms);
  }
}

/// The symmetric scale of a row of B; NaN if it holds NaN or infinity.
float symmetric_scale(const float* row, int64_t k) {
  const Range range = range_of(row, k);
  return range.finite ? std::max(std::max(range.high, -range.low) / 127.0f, FLT_MIN) : NAN;
}

/// Rows of A that are quantized together: their words stay in L2 while every panel of B passes.
int64_t block_rows(int64_t k) {
  return std::max(kBlockBytes / (4 * row_words(k) * kRows), int64_t{1}) * kRows;
}

void quantize_rows(ConstRows a, int64_t m, int64_t k, int32_t* rows) {
  for (int64_t i = 0; i < m; i += kRows) {
    const int64_t height = std::min(kRows, m - i);
    for (int64_t r = 0; r < height; ++r) {
      const float* row = a.data + (i + r) * a.stride;
      const Range range = range_of(row, k);
      const Affine how = range.finite ? affine(range) : Affine{NAN, 0.0f, 0.0f};
      rows[r] = std::bit_cast<int32_t>(how.scale);
      rows[height + r] = static_cast<int32_t>(how.zero);
      int32_t* words = rows + 2 * height + r;
      if (range.finite) {
        quantize_terms(row, k, how, height, words);
      } else {
        for (int64_t s = 0; s < padded_terms(k) / kTerms; ++s) words[s * height] = 0;
      }
    }
    rows += height * row_words(k);
  }
}

/// c = a bᵀ, a block of rows after the other. `add` starts from what is in c, otherwise from the
/// bias.
void multiply(ConstRows a, QuantizedPanels b, const float* bias, bool add, Rows c, int64_t m,
              int64_t n, int32_t* quantized) {
  const int64_t words = row_words(b.depth), steps = padded_terms(b.depth) / kTerms;
  const int64_t panel_words = quantized_size(kPanel, b.depth), most = block_rows(b.depth);
  for (int64_t first = 0; first < m; first += most) {
    const int64_t rows = std::min(most, m - first);
    quantize_rows(from_row(a, first), rows, b.depth, quantized);
    const Rows block = from_row(c, first);
    const int32_t* panel = b.data;
    for (int64_t j = 0; j < n; j += kPanel, panel += panel_words) {
      const int64_t width = std::min(kPanel, n - j);
      float own[kPanel] = {};
      if (bias) std::copy_n(bias + j, width, own);
      for (int64_t r = 0; r < rows; r += kRows) {
        const int64_t height = std::min(kRows, rows - r);
        const Rows to{block.data + r * block.stride + j, block.stride};
        const ConstRows start = add ? ConstRows{to.data, to.stride} : ConstRows{own, 0};
        const QuantizedTile tile = kQuantizedTiles[height];
        if (width == kPanel) {
          tile(quantized + r * words, panel, steps, start, to);
          continue;
        }
        float whole[kRows * kPanel] = {};
        for (int64_t t = 0; t < height; ++t) {
          std::copy_n(start.data + t * start.stride, width, whole + t * kPanel);
        }
        tile(quantized + r * words, panel, steps, {whole, kPanel}, {whole, kPanel});
        for (int64_t t = 0; t < height; ++t) {
          std::copy_n(whole + t * kPanel, width, to.data + t * to.stride);
        }
      }
    }
  }
}

}  // namespace

void pack_quantized(const float* b, int64_t stride, int64_t n, int64_t k, int32_t* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel, packed += quantized_size(kPanel, k)) {
    std::fill_n(packed, quantized_size(kPanel, k), 0);
    auto* bytes = reinterpret_cast<int8_t*>(packed + 2 * kPanel);
    for (int64_t j = 0; j < std::min(kPanel, n - panel); ++j) {
      const float* row = b + (panel + j) * stride;
      const float scale = symmetric_scale(row, k);
      int32_t sum = 0;
      for (int64_t p = 0; scale == scale && p < k; ++p) {
        const auto q = static_cast<int8_t>(std::nearbyint(row[p] / scale));
        bytes[(p / kTerms * kPanel + j) * kTerms + p % kTerms] = q;
        sum += q;
      }
      packed[j] = std::bit_cast<int32_t>(scale);
      packed[kPanel + j] = sum;
    }
  }
}

int64_t quantized_scratch(int64_t m, int64_t k) {
  return std::min(m, block_rows(k)) * row_words(k);
}

void gemm_quantized(ConstRows a, QuantizedPanels b, const float* bias, Rows c, int64_t m, int64_t n,
                    int32_t* scratch) {
  multiply(a, b, bias, false, c, m, n, scratch);
}

void gemm_quantized_add(ConstRows a, QuantizedPanels b, Rows c, int64_t m, int64_t n,
                        int32_t* scratch) {
  multiply(a, b, nullptr, true, c, m, n, scratch);
}

}  // namespace attnscope::kernels
