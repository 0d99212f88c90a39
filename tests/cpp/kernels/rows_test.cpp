#include "../../../cpp/kernels/rows.h"

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
