#pragma once

// Exact counts. A product of four dimensions of 2^31 overflows 64 bits, so counts are 128 bits wide
// and meet JavaScript's doubles only when they are printed.

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace attnscope {

/// A number of elements, bytes, multiply-accumulates or operations; never negative.
using Count = __int128;

[[noreturn]] inline void throw_too_large() {
  throw std::overflow_error("the layer is too large: one of its counts exceeds 2^127");
}

/// The product of `factors`. Throws std::overflow_error past 2^127 - 1.
inline Count product(std::initializer_list<Count> factors) {
  Count result = 1;
  for (const Count factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) throw_too_large();
  }
  return result;
}

/// a + b. Throws std::overflow_error past 2^127 - 1.
inline Count sum(Count a, Count b) {
  Count result;
  if (__builtin_add_overflow(a, b, &result)) throw_too_large();
  return result;
}

/// Decimal digits of `count`, exact at any size.
inline std::string to_string(Count count) {
  if (count >= 0 && count <= INT64_MAX) return std::to_string(static_cast<int64_t>(count));
  std::string digits;
  for (; count > 0; count /= 10) digits.insert(digits.begin(), static_cast<char>('0' + count % 10));
  return digits;
}

}  // namespace attnscope
