#include "number.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace attnscope {

/// Laid out as ECMA-262's Number::toString does; only -0 keeps its sign, as in a console.
std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::signbit(number)) return "-" + number_text(-number);
  if (std::isinf(number)) return "Infinity";
  if (number == 0) return "0";

  char text[32];
  int precision = 0;
  do {
    std::snprintf(text, sizeof text, "%.*e", precision++, number);
  } while (std::strtod(text, nullptr) != number);
  const char* c = text;
  std::string digits;
  for (; *c != 'e'; ++c) {
    if (*c != '.') digits += *c;
  }
  const int point = std::atoi(c + 1) + 1;  // digits before the decimal point
  const int count = static_cast<int>(digits.size());

  if (point > 21 || point < -5) {
    if (count > 1) digits.insert(1, ".");
    return digits + (point > 0 ? "e+" : "e-") + std::to_string(std::abs(point - 1));
  }
  if (point <= 0) return "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (point >= count) return digits + std::string(static_cast<size_t>(point - count), '0');
  return digits.insert(static_cast<size_t>(point), ".");
}

}  // namespace attnscope
