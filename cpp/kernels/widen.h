#pragma once

// 16 bits to float32, in vectors.
//
// bfloat16 is the upper half of the float32. float16 has the same order of fields (sign, 5 bits of
// exponent, 10 of fraction): moved to where float32 has its own, with the sign kept and the upper
// three bits of the exponent 0, it is a float32 smaller by 2^(127 - 15) exactly, subnormals
// included, since both formats continue below their smallest exponent alike. So one multiplication
// by 2^112 ends it, for all but infinity and NaN, whose exponent must become 255.

#include "half.h"
#include "vector.h"

namespace attnscope::kernels {

/// Loaded, not built: see exp.h.
struct HalfConstants {
  int32_t fields;    // of a float16 three bits right of a float32's
  int32_t exponent;  // of a float16 in the upper half of a word
  int32_t infinity;  // of a float32
  int32_t upper;     // half of a word
  float rebias;      // 2^112
};
extern const HalfConstants kHalf;

/// The numbers in the upper halves of words; of the lower halves, anything. kFinite: none is
/// infinite or NaN.
template <HalfFormat kFormat, bool kFinite>
inline Batch widen(Ints words) {
  if constexpr (kFormat == HalfFormat::kBfloat16) {
    return xsimd::bitwise_cast<float>(words & spread(&kHalf.upper));
  } else {
    const Ints fields = (words >> 3) & spread(&kHalf.fields);
    const Batch value = xsimd::bitwise_cast<float>(fields) * spread(&kHalf.rebias);
    if constexpr (kFinite) return value;
    const Ints exponent = spread(&kHalf.exponent), infinity = spread(&kHalf.infinity);
    const Ints special = xsimd::select((words & exponent) == exponent, infinity, Ints(0));
    return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<int32_t>(value) | special);
  }
}

/// The same of the lower halves.
template <HalfFormat kFormat, bool kFinite>
inline Batch widen_lower(Ints words) {
  if constexpr (kFormat == HalfFormat::kBfloat16) return xsimd::bitwise_cast<float>(words << 16);
  return widen<kFormat, kFinite>(words << 16);
}

/// 8 numbers as words.
inline Ints load_words(const uint16_t* from) {
  using Halves = xsimd::batch<uint16_t, Batch::arch_type>;
  return xsimd::bitwise_cast<int32_t>(Halves::load_unaligned(from));
}

}  // namespace attnscope::kernels
