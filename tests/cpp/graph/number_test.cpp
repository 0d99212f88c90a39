#include "../../../cpp/graph/number.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include "../support.h"

using namespace attnscope;

TEST_CASE("numbers print as JavaScript prints them") {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},
      {1.0, "1"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
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

TEST_CASE("printed digits read back as the number, and no fewer do") {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 2000; ++i) {
    const double number = std::bit_cast<double>(engine() & ~(uint64_t{1} << 63));
    if (!(number <= std::numeric_limits<double>::max())) continue;
    const std::string text = number_text(number);
    CAPTURE(text);
    CHECK(std::strtod(text.c_str(), nullptr) == number);
    int digits =
        0;  // a random number's digits end in no zeros that layout adds, but for large ones
    for (const char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9' ? 1 : 0;
    if (text.find('e') == std::string::npos || digits < 2) continue;
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*e", digits - 2, number);
    CHECK_MESSAGE(std::strtod(shorter, nullptr) != number, shorter);
  }
}
