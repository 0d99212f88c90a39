#include "../../../cpp/graph/number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <random>
#include <string_view>

#include "../support.h"

using namespace attnscope;

namespace {

/// The digits of a number as text, from the first one to the last one that is not 0.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c != '.' && (c != '0' || !digits.empty())) digits += c;
  }
  return digits.erase(digits.find_last_not_of('0') + 1);
}

}  // namespace

TEST_CASE("numbers print as JavaScript prints them") {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {1.0, "1"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {0x1p-44, "5.684341886080802e-14"},
      {1.5e-12, "1.5e-12"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {1e23, "1e+23"},  // halfway between two doubles: the limits of an even significand count
      {9007199254740993.0, "9007199254740992"},
      {5e-324, "5e-324"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},  // a power of 2: nearer below
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {std::numeric_limits<double>::infinity(), "Infinity"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [number, text] : cases) CHECK(number_text(number) == text);
}

TEST_CASE("digits are those of the standard library, and read back as the number") {
  const auto check = [](double number) {
    char buffer[32];
    const auto printed =
        std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::scientific);
    const std::string text = number_text(number);
    CAPTURE(text);
    CHECK(digits_of(text) == digits_of({buffer, printed.ptr}));
    CHECK(std::strtod(text.c_str(), nullptr) == number);
  };
  std::mt19937_64 engine(1);
  for (int i = 0; i < 2000; ++i) {
    const double number = std::bit_cast<double>(engine() & ~(uint64_t{1} << 63));
    if (number <= std::numeric_limits<double>::max()) check(number);
  }
  // The next number below a power of two is half as far away as the next one above.
  for (int exponent = -1074; exponent <= 1023; ++exponent) check(std::ldexp(1.0, exponent));
}
