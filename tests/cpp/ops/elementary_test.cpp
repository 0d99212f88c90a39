#include "../../../cpp/ops/elementary.h"

#include <cmath>
#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("elementary functions are those of the standard library") {
  for (double x = -700; x <= 700; x += 0.37) {
    CAPTURE(x);
    CHECK(std::abs(exp_of(x) - std::exp(x)) <= 1e-13 * std::exp(x));
  }
  for (double x = -7; x <= 7; x += 0.0137) {
    CAPTURE(x);
    CHECK(std::abs(erf_of(x) - std::erf(x)) <= 1e-14);
  }
  for (double x = 1e-9; x < 100; x *= 1.003) {
    CAPTURE(x);
    CHECK(std::abs(tanh_of(x) - std::tanh(x)) <= 1e-15 * std::tanh(x));
    CHECK(tanh_of(-x) == -tanh_of(x));
  }
  for (double x = 2; x < 1e7; x *= 1.7) {
    CAPTURE(x);
    CHECK(std::abs(log_of(x) - std::log(x)) <= 1e-15 * std::log(x));
  }
  for (double x = 1e-9; x < 1e6; x *= 1.003) {
    CAPTURE(x);
    for (const double angle : {x, -x}) {
      const auto [sine, cosine] = sine_and_cosine_of(angle);
      CHECK(std::abs(sine - std::sin(angle)) <= 1e-15);
      CHECK(std::abs(cosine - std::cos(angle)) <= 1e-15);
    }
  }
}

TEST_CASE("they go to their limits, and NaN stays NaN") {
  CHECK(exp_of(0) == 1.0);
  CHECK(exp_of(-kInfinity) == 0.0);
  CHECK(exp_of(-800) == 0.0);
  CHECK(exp_of(kInfinity) == kInfinity);
  CHECK(erf_of(0) == 0.0);
  CHECK(erf_of(kInfinity) == 1.0);
  CHECK(erf_of(-kInfinity) == -1.0);
  CHECK(tanh_of(kInfinity) == 1.0);
  CHECK(tanh_of(0) == 0.0);
  CHECK(std::isnan(exp_of(NAN)));
  CHECK(std::isnan(tanh_of(NAN)));
  CHECK(std::isnan(erf_of(NAN)));
}
