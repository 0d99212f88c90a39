#include "../../../cpp/run/rounding.h"

#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float rounded(Dtype dtype, float value) {
  Values values = make_values({1});
  values.data()[0] = value;
  round_to(dtype, values);
  return values.data()[0];
}

}  // namespace

TEST_CASE("float16 rounds to 11 bits, ties to even, through subnormals, and overflows past 65504") {
  const std::pair<float, float> cases[] = {
      {1.0f, 1.0f},
      {1.0f + 0x1p-11f, 1.0f},              // a tie, to even
      {1.0f + 0x1.8p-10f, 1.0f + 0x1p-9f},  // a tie, to even
      {1.0f + 0x1.1p-11f, 1.0f + 0x1p-10f},
      {-2.0f - 0x1.8p-10f, -2.0f - 0x1p-9f},
      {65504.0f, 65504.0f},
      {65519.0f, 65504.0f},
      {65520.0f, kInfinity},
      {-1e30f, -kInfinity},
      {0x1p-24f, 0x1p-24f},  // the smallest subnormal
      {0x1p-25f, 0.0f},      // a tie, to even
      {0x1.8p-25f, 0x1p-24f},
      {0x1.ffcp-15f, 0x1.ff8p-15f + 0x1p-24f},
  };
  for (const auto& [value, expected] : cases) {
    CAPTURE(value);
    CHECK(rounded(Dtype::kFloat16, value) == expected);
  }
  CHECK(std::isnan(rounded(Dtype::kFloat16, NAN)));
}

TEST_CASE("bfloat16 keeps float32's exponents and 8 bits") {
  CHECK(rounded(Dtype::kBfloat16, 1.0f + 0x1p-8f) == 1.0f);              // a tie, to even
  CHECK(rounded(Dtype::kBfloat16, 1.0f + 0x1.8p-7f) == 1.0f + 0x1p-6f);  // a tie, to even
  CHECK(rounded(Dtype::kBfloat16, 1e38f) < kInfinity);
  CHECK(rounded(Dtype::kBfloat16, std::numeric_limits<float>::max()) == kInfinity);
  CHECK(std::isnan(rounded(Dtype::kBfloat16, NAN)));
}

TEST_CASE("int8 has one scale a row: its largest magnitude becomes 127") {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  Values values = make_values({3, 3});
  const float given[] = {127.0f, 0.4f, -63.5f, 0.0f, 0.0f, 0.0f, kTiny, -kTiny, 0.0f};
  std::copy_n(given, 9, values.data());
  round_to(Dtype::kInt8, values);
  const float expected[] = {127.0f, 0.0f, -64.0f, 0.0f, 0.0f, 0.0f, kTiny, -kTiny, 0.0f};
  for (size_t i = 0; i < 9; ++i) CHECK(values.data()[i] == expected[i]);
}
