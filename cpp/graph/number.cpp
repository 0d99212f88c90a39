// Digits by exact integers, and not by the standard library, which a page would have to load,
// compressed: std::to_chars is 56 kB, for it brings the tables of every notation, more than the
// module may grow. printf and strtod are 15 kB, and print a digit too many of 46 powers of two:
// of 2^-44 the nearest 16 digits do not read back, but others do.

#include "number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdlib>

#include "text.h"

namespace attnscope {
namespace {

/// A natural number below 2^1280: a double's numerator and denominator, times powers of ten that
/// bring their quotient between 0.1 and 1, stay below 2^1140.
class Natural {
 public:
  Natural(uint64_t value, int twos) {
    const auto limb = static_cast<size_t>(twos / 32);
    const unsigned __int128 shifted = static_cast<unsigned __int128>(value) << twos % 32;
    for (size_t i = 0; i < 3; ++i) limbs_[limb + i] = static_cast<uint32_t>(shifted >> 32 * i);
  }

  Natural& operator*=(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& limb : limbs_) {
      carry += uint64_t{limb} * factor;
      limb = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }

  Natural& operator+=(const Natural& other) {
    uint64_t carry = 0;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      carry += uint64_t{limbs_[i]} + other.limbs_[i];
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }

  Natural& operator-=(const Natural& smaller) {
    int64_t carry = 0;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      carry += int64_t{limbs_[i]} - smaller.limbs_[i];
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }

  friend Natural operator+(Natural a, const Natural& b) { return a += b; }

  friend std::strong_ordering operator<=>(const Natural& a, const Natural& b) {
    size_t i = a.limbs_.size() - 1;
    while (i > 0 && a.limbs_[i] == b.limbs_[i]) --i;
    return a.limbs_[i] <=> b.limbs_[i];
  }

 private:
  std::array<uint32_t, 40> limbs_{};  // least significant first
};

struct Decimal {
  std::string digits;
  int point;  // digits before the decimal point
};

/// The shortest digits that read back as `number`, a finite one above 0, and of those the nearest:
/// Steele and White 1990, "How to print floating-point numbers accurately".
Decimal shortest(double number) {
  // number = significand 2^exponent = rest / whole. What lies within `below` and `above` of it, in
  // the same unit, reads back as `number`; so do these limits when the significand is even.
  constexpr int kDigits = 53, kLeastExponent = -1074;
  int exponent;
  std::frexp(number, &exponent);
  exponent = std::max(exponent - kDigits, kLeastExponent);
  const auto significand = static_cast<uint64_t>(std::ldexp(number, -exponent));
  const bool even = significand % 2 == 0;
  const bool nearer_below =
      significand == uint64_t{1} << (kDigits - 1) && exponent > kLeastExponent;
  const int twos = std::max(exponent, 0) + (nearer_below ? 1 : 0);
  Natural rest(significand, twos + 1), whole(1, twos - exponent + 1);
  Natural below(1, std::max(exponent, 0)), above(1, twos);
  const auto reaches = [even](const Natural& a, const Natural& b) { return even ? a >= b : a > b; };

  Decimal decimal{"", 0};
  while (reaches(rest + above, whole)) {
    whole *= 10;
    ++decimal.point;
  }
  const auto next_place = [&] {
    for (Natural* one : {&rest, &below, &above}) *one *= 10;
  };
  for (next_place(); !reaches(rest + above, whole); next_place()) --decimal.point;

  for (;; next_place()) {
    char digit = '0';
    for (; rest >= whole; ++digit) rest -= whole;
    const bool down = reaches(below, rest), up = reaches(rest + above, whole);
    const auto half = rest + rest <=> whole;
    if (up && (!down || std::is_gt(half) || (std::is_eq(half) && digit % 2 != 0))) ++digit;
    decimal.digits += digit;
    if (down || up) return decimal;
  }
}

}  // namespace

/// Laid out as ECMA-262's Number::toString does; only -0 keeps its sign, as in a console.
std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::signbit(number)) return format("-{}", {-number});
  if (std::isinf(number)) return "Infinity";
  if (number == 0) return "0";

  auto [digits, point] = shortest(number);
  const int count = static_cast<int>(digits.size());
  if (point > 21 || point < -5) {
    if (count > 1) digits.insert(1, ".");
    return format("{}{}{}", {digits, point > 0 ? "e+" : "e-", std::abs(point - 1)});
  }
  if (point <= 0) return format("0.{}{}", {std::string(static_cast<size_t>(-point), '0'), digits});
  if (point >= count)
    return format("{}{}", {digits, std::string(static_cast<size_t>(point - count), '0')});
  return digits.insert(static_cast<size_t>(point), ".");
}

std::string python_number(double number) {
  std::string text = number_text(number);
  const size_t first = text.find_first_not_of('0', 2);  // of "0.00001"
  if (!text.starts_with("0.000") || first == std::string::npos) return text;
  std::string digits = text.substr(first);
  if (digits.size() > 1) digits.insert(1, ".");
  return format("{}e-{}", {digits, first - 1});
}

}  // namespace attnscope
