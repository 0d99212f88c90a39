#pragma once

// Matrix product in int8: C = A Bᵀ + bias with the weights B quantized once and the rows of A as
// they come, as PyTorch's dynamically quantized nn.Linear does. Sums are exact integers: every
// build gives the same bits.
//
// A row b of B is symmetric in 8 bits: b ≈ scale q, scale = max|b| / 127, q in -127..127, ties to
// even. A row a of A is affine in 7 bits: a ≈ scale (q - zero), scale = (max - min) / 127, q in
// 0..127, with 0 counted among the row's numbers so that zero is in 0..127. The eighth bit is
// given up because the fast instruction multiplies 8 by 7 bits: with more, its result depends on
// the machine (WebAssembly's relaxed SIMD, i32x4.relaxed_dot_i8x16_i7x16_add_s). PyTorch gives it
// up on x86 for the same reason (reduce_range of torch.ao.quantization), but has one scale for all
// rows of A.
//
// What it costs: |c - exact| ≤ scale_a / 2 Σ|b'| + scale_b / 2 Σ|a|, b' being the quantized row,
// plus the rounding of the float32 result.

#include <cstdint>

#include "gemm.h"

namespace attnscope::kernels {

/// The largest k: 127² k must fit in 31 bits.
inline constexpr int64_t kQuantizedDepth = INT32_MAX / (127 * 127);  // 133144

/// `k` rounded up to whole words of terms.
constexpr int64_t padded_terms(int64_t k) { return (k + 3) / 4 * 4; }

/// Words of 32 bits that pack_quantized() writes for B (n, k): a byte a number, and for each row of
/// B its scale and its sum.
constexpr int64_t quantized_size(int64_t n, int64_t k) {
  return padded(n) / kPanel * (2 * kPanel + kPanel * padded_terms(k) / 4);
}

/// Quantizes B (n, k), rows `stride` apart, and packs it into panels of 8 rows. The order of the
/// bytes is the build's own. A row that holds NaN or infinity gets the scale NaN.
void pack_quantized(const float* b, int64_t stride, int64_t n, int64_t k, int32_t* packed);

/// Packed B, or columns of C from one that 8 divides: those from j on start at
/// data + quantized_size(j, depth).
struct QuantizedPanels {
  const int32_t* data;
  int64_t depth;  // k
};

/// Words of 32 bits that the products below need beside their arguments.
int64_t quantized_scratch(int64_t m, int64_t k);

/// c[i, j] = Σ_p a[i, p] b[j, p] + bias[j], k = b.depth ≤ kQuantizedDepth.
///
///   a        (m, k)
///   bias     (n,) or nullptr
///   c        (m, n); must not overlap the others
///   scratch  quantized_scratch(m, k) words
///
/// A row of A that holds NaN or infinity gives a row of NaN, a row of B a column; a row of zeros
/// gives the bias.
void gemm_quantized(ConstRows a, QuantizedPanels b, const float* bias, Rows c, int64_t m, int64_t n,
                    int32_t* scratch);

/// c[i, j] += Σ_p a[i, p] b[j, p]: the next part of a product that is too deep for one.
void gemm_quantized_add(ConstRows a, QuantizedPanels b, Rows c, int64_t m, int64_t n,
                        int32_t* scratch);

}  // namespace attnscope::kernels
