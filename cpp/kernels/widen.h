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

/// What 16 bits hold. kShifted is float16 with another range: the exponents are those of -24 to 6,
/// so that all of float16's numbers below 2^7 are normal, and there is no infinity. A panel of
/// weights is stored so where it can be: it needs no second look, and multiplying a subnormal
/// float32 takes a hundred cycles or more on many CPUs (measured: 138 against 79 us for 768 x 768
/// normally distributed weights, of which 0.2% are subnormal).
enum class Stored { kFloat16, kShifted, kBfloat16 };

/// Loaded, not built: see exp.h.
struct HalfConstants {
  int32_t fields;    // of a float16 three bits right of a float32's
  int32_t exponent;  // of a float16 in the upper half of a word
  int32_t infinity;  // of a float32
  int32_t upper;     // half of a word
  float rebias, rebias_shifted;
};
extern const HalfConstants kHalf;

/// The numbers in the upper halves of words; the lower halves may hold anything.
template <Stored kStored>
inline Batch widen(Ints words) {
  if constexpr (kStored == Stored::kBfloat16) {
    return xsimd::bitwise_cast<float>(words & spread(&kHalf.upper));
  } else {
    const Batch fields = xsimd::bitwise_cast<float>((words >> 3) & spread(&kHalf.fields));
    if constexpr (kStored == Stored::kShifted) return fields * spread(&kHalf.rebias_shifted);
    const Ints value = xsimd::bitwise_cast<int32_t>(fields * spread(&kHalf.rebias));
    const Ints exponent = spread(&kHalf.exponent), infinity = spread(&kHalf.infinity);
    const Ints special = xsimd::select((words & exponent) == exponent, infinity, Ints(0));
    return xsimd::bitwise_cast<float>(value | special);
  }
}

/// The same of the lower halves.
template <Stored kStored>
inline Batch widen_lower(Ints words) {
  if constexpr (kStored == Stored::kBfloat16) return xsimd::bitwise_cast<float>(words << 16);
  return widen<kStored>(words << 16);
}

/// 8 numbers as words.
inline Ints load_words(const uint16_t* from) {
  using Halves = xsimd::batch<uint16_t, Batch::arch_type>;
  return xsimd::bitwise_cast<int32_t>(Halves::load_unaligned(from));
}

}  // namespace attnscope::kernels
