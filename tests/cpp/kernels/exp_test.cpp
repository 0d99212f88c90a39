#include "../../../cpp/kernels/exp.h"

#include <cmath>
#include <limits>

#include "../support.h"

namespace kernels = attnscope::kernels;

namespace {

float exp2_below_zero(float x) {
  kernels::Batch values[] = {kernels::Batch(x)};
  kernels::exp2_below_zero(values);
  return values[0].get(0);
}

/// `function` within `ulp` of `exact` from 0 down to `lowest`, 1 at 0, and 0 where the result would
/// be denormal.
template <class Function, class Exact>
void check_exponential(Function function, Exact exact, double ulp, int lowest) {
  for (int i = 0; i <= -lowest * 10'000; i += 7) {
    const float x = static_cast<float>(i) * -1e-4f;
    const double expected = exact(static_cast<double>(x));
    const double error = std::abs(function(x) - expected);
    if (error <= ulp * 0x1p-23 * expected) continue;
    CAPTURE(x);
    CHECK(error <= ulp * 0x1p-23 * expected);
  }
  CHECK(function(0.0f) == 1.0f);
  for (const float x :
       {static_cast<float>(lowest - 1), -3e38f, -std::numeric_limits<float>::infinity()}) {
    CAPTURE(x);
    CHECK(function(x) == 0.0f);
  }
  CHECK(std::isnan(function(NAN)));
}

}  // namespace

TEST_CASE("e^x of what is not positive is within 2 ULP") {
  const auto one = [](float x) { return kernels::exp_below_zero(x); };
  check_exponential(one, [](double x) { return std::exp(x); }, 2.0, -87);
}

TEST_CASE("2^x of what is not positive is within 3 ULP") {
  check_exponential(exp2_below_zero, [](double x) { return std::exp2(x); }, 3.0, -126);
}
