#include "../../../cpp/kernels/sums.h"

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

/// Numbers that do not cancel, of which a float's sum would lose some digits.
std::vector<float> positive(int64_t count, uint32_t seed) {
  std::vector<float> values = random_floats(count, seed);
  for (float& one : values) one = 1.0f + 0.5f * one;
  return values;
}

// Blocks of 64 additions, each rounded to half an ULP of at most 96.
constexpr double kTolerance = 2e-6;

}  // namespace

TEST_CASE("sums of numbers of any length, and of so many that a float would lose digits") {
  for (const int64_t length : {1, 3, 4, 15, 16, 17, 1023, 1025, 300'000}) {
    CAPTURE(length);
    const std::vector<float> x = positive(length, 1);
    double expected = 0.0;
    for (const double one : x) expected += one;
    check_close(kernels::sum(x.data(), length), expected, kTolerance);
  }
}

TEST_CASE("sums of rows, plain and weighted, are added to what is there") {
  for (const int64_t count : {1, 2, 63, 64, 65, 20'000}) {
    for (const int64_t length : {1, 3, 4, 5, 32, 33, 71}) {
      CAPTURE(count);
      CAPTURE(length);
      const int64_t stride = length + 2;
      const std::vector<float> rows = positive(count * stride, 1), weights = positive(count, 2);
      const size_t columns = static_cast<size_t>(length);
      std::vector<double> plain(columns + 1, 7.0), weighted(columns + 1, 7.0), added(columns, 7.0);
      kernels::sum_rows({rows.data(), stride}, count, length, plain.data());
      kernels::sum_weighted_rows({rows.data(), stride}, weights.data(), count, length,
                                 weighted.data());
      for (int64_t i = 0; i < count; ++i) {
        kernels::add_to(rows.data() + i * stride, length, added.data());
      }
      for (size_t e = 0; e < columns; ++e) {
        double sum = 7.0, product = 7.0;
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
          const double one = rows[i * static_cast<size_t>(stride) + e];
          sum += one;
          product += one * weights[i];
        }
        check_close(plain[e], sum, kTolerance);
        check_close(weighted[e], product, kTolerance);
        CHECK(added[e] == sum);
      }
      CHECK(plain.back() == 7.0);
      CHECK(weighted.back() == 7.0);
    }
  }
}

TEST_CASE("sum_of_squares equals double precision around its lanes and its runs of 1024") {
  constexpr double kRunOfSquares = 1e-5;  // 64 terms of each lane in float32
  for (const int64_t length : {0, 1, 3, 4, 15, 16, 17, 31, 33, 1023, 1024, 1025, 1040, 5000}) {
    CAPTURE(length);
    const std::vector<float> x = random_floats(length, 1);
    double expected = 0.0;
    for (const double one : x) expected += one * one;
    check_close(kernels::sum_of_squares(x.data(), length), expected, kRunOfSquares);
  }
}

TEST_CASE(
    "sum_of_squares adds its runs in double: ones beside what float32 would round them away") {
  std::vector<float> x(4 * 1024, 0.0f);
  x[0] = 4096.0f;  // 2^24, beside which float32 has no odd numbers
  x[1024] = x[2048] = x[3072] = 1.0f;
  CHECK(kernels::sum_of_squares(x.data(), 4 * 1024) == 0x1p24 + 3);
}

TEST_CASE("sum_of_squares knows squares that float32 cannot hold, and NaN") {
  for (const int64_t length : {1, 5, 16, 33, 1040}) {
    CAPTURE(length);
    for (const float size : {1e-30f, 1e20f, 3e38f}) {
      const std::vector<float> x(static_cast<size_t>(length), size);
      const double expected = static_cast<double>(length) * size * size;
      CHECK(kernels::sum_of_squares(x.data(), length) == doctest::Approx(expected));
    }
    for (int64_t place = 0; place < length; place += 4) {
      std::vector<float> x = random_floats(length, 1);
      x[static_cast<size_t>(place)] = NAN;
      CHECK(std::isnan(kernels::sum_of_squares(x.data(), length)));
    }
  }
}
