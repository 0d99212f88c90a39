#pragma once

// Numbers stored in 16 bits, float16 (IEEE 754 binary16) or bfloat16 (the upper half of a float32):
// conversion, and the matrix product C = A Bᵀ + bias with B stored so. All arithmetic is float32.

#include <cstdint>

#include "gemm.h"

namespace attnscope::kernels {

enum class HalfFormat { kFloat16, kBfloat16 };

/// Rounds `count` floats to the nearest value of the format, ties to even. float16 overflows to
/// infinity from 65520 on, as PyTorch's tensor.half() does. NaN stays NaN, with its sign.
void to_half(const float* from, int64_t count, HalfFormat format, uint16_t* to);

/// The same numbers as float32, exactly.
void from_half(const uint16_t* from, int64_t count, HalfFormat format, float* to);

/// Rows of such numbers, one right after the other.
struct HalfRows {
  const uint16_t* data;
  HalfFormat format;
};

/// uint16_t that pack_half() writes for B (n, k): its numbers, and 8 more a panel.
constexpr int64_t half_size(int64_t n, int64_t k) { return padded(n) * (k + 1); }

/// Packs B (n, k), rows `stride` apart, given in 16 bits, into panels of 8 rows.
void pack_half(const uint16_t* b, int64_t stride, int64_t n, int64_t k, HalfFormat format,
               uint16_t* packed);

/// Packed B, or columns of C from one that 8 divides: those from j on start at
/// data + half_size(j, depth).
struct HalfPanels {
  const uint16_t* data;
  int64_t depth;  // k
  HalfFormat format;
};

/// Floats that gemm_half() needs beside its arguments, for any number of rows.
int64_t half_scratch(int64_t n, int64_t k);

/// c[i, j] = Σ_p a[i, p] b[j, p] + bias[j], k = b.depth.
///
///   a        (m, k)
///   bias     (n,) or nullptr
///   c        (m, n); must not overlap the others
///   scratch  half_scratch(n, k) floats
void gemm_half(ConstRows a, HalfPanels b, const float* bias, Rows c, int64_t m, int64_t n,
               float* scratch);

}  // namespace attnscope::kernels
