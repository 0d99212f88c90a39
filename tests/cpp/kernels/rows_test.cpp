#include "../../../cpp/kernels/rows.h"

#include <cmath>
#include <utility>
#include <vector>

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr double kTolerance = 2e-6;  // up to 70 products of numbers below 1, see gemm_test
constexpr int64_t kLengths[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 33, 70};
constexpr int64_t kCounts[] = {1, 2, 3, 4, 5, 8, 11};

}  // namespace

TEST_CASE("dot_rows equals plain loops around the lane count and off its alignment") {
  for (const int64_t length : kLengths) {
    for (const int64_t count : kCounts) {
      for (const int64_t offset : {0, 1, 3}) {
        CAPTURE(length);
        CAPTURE(count);
        CAPTURE(offset);
        const int64_t stride = length + offset;
        const std::vector<float> rows = random_floats(count * stride + offset, 1);
        const std::vector<float> vector = random_floats(length + offset, 2);
        std::vector<float> scores(static_cast<size_t>(count), NAN);
        kernels::dot_rows({rows.data() + offset, stride}, vector.data() + offset, 0.25f, count,
                          length, scores.data());
        for (int64_t i = 0; i < count; ++i) {
          double expected = 0.25;
          for (int64_t e = 0; e < length; ++e) {
            expected += static_cast<double>(rows[static_cast<size_t>(offset + i * stride + e)]) *
                        vector[static_cast<size_t>(offset + e)];
          }
          check_close(scores[static_cast<size_t>(i)], expected, kTolerance);
        }
      }
    }
  }
}

TEST_CASE("add_weighted_rows equals plain loops, whatever lies between the rows") {
  for (const int64_t length : kLengths) {
    for (const int64_t count : kCounts) {
      for (const int64_t gap : {0, 3}) {
        CAPTURE(length);
        CAPTURE(count);
        CAPTURE(gap);
        const int64_t stride = length + gap;
        const std::vector<float> rows = random_floats(count * stride, 1),
                                 weights = random_floats(count, 2);
        const std::vector<float> before = random_floats(length, 3);
        std::vector<float> out = before;
        kernels::add_weighted_rows({rows.data(), stride}, weights.data(), count, length,
                                   out.data());
        for (int64_t e = 0; e < length; ++e) {
          double expected = before[static_cast<size_t>(e)];
          for (int64_t i = 0; i < count; ++i) {
            expected += static_cast<double>(weights[static_cast<size_t>(i)]) *
                        rows[static_cast<size_t>(i * stride + e)];
          }
          check_close(out[static_cast<size_t>(e)], expected, kTolerance);
        }
      }
    }
  }
}

TEST_CASE("sums, products, factors and maxima of two rows, in place or not") {
  using Function = void (*)(const float*, const float*, int64_t, float*);
  const auto scale = [](const float* a, const float*, int64_t length, float* y) {
    kernels::scale(a, 3.0f, length, y);
  };
  const std::pair<Function, float (*)(float, float)> all[] = {
      {kernels::add, [](float a, float b) { return a + b; }},
      {kernels::multiply, [](float a, float b) { return a * b; }},
      {kernels::maximum, [](float a, float b) { return a > b ? a : b; }},
      {scale, [](float a, float) { return a * 3.0f; }}};
  for (const auto& [kernel, plain] : all) {
    for (const int64_t length : kLengths) {
      CAPTURE(length);
      const std::vector<float> a = random_floats(length, 1), b = random_floats(length, 2);
      std::vector<float> apart(a.size() + 1, 7.0f), in_a = a, in_b = b;
      kernel(a.data(), b.data(), length, apart.data());
      kernel(in_a.data(), b.data(), length, in_a.data());
      kernel(a.data(), in_b.data(), length, in_b.data());
      for (size_t e = 0; e < a.size(); ++e) CHECK(apart[e] == plain(a[e], b[e]));
      CHECK(apart.back() == 7.0f);
      apart.pop_back();
      CHECK(in_a == apart);
      CHECK(in_b == apart);
    }
  }
}

TEST_CASE("the maximum with NaN is NaN, in every lane and on either side") {
  for (int64_t e = 0; e < 7; ++e) {
    std::vector<float> a(7, 1.0f), y(7);
    const std::vector<float> b(7, 2.0f);
    a[static_cast<size_t>(e)] = NAN;
    kernels::maximum(a.data(), b.data(), 7, y.data());
    CHECK(std::isnan(y[static_cast<size_t>(e)]));
    kernels::maximum(b.data(), a.data(), 7, y.data());
    CHECK(std::isnan(y[static_cast<size_t>(e)]));
  }
}
