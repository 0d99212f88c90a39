#include "elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

namespace attnscope {
namespace {

/// c[0] + c[1] x + c[2] x² + ...
double polynomial(std::span<const double> c, double x) {
  double sum = 0.0;
  for (size_t i = c.size(); i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// e^x - 1 by its Taylor series, whose next term is below 1e-18 of it.
constexpr double kSmall = 0.35;  // the largest |x|, a bit more than ln 2 / 2
double expm1_of_small(double x) {
  double sum = 1.0;
  for (int k = 14; k > 1; --k) sum = 1.0 + sum * x / k;
  return sum * x;
}

}  // namespace

// e^x = 2^n e^r with |r| ≤ ln 2 / 2.
double exp_of(double x) {
  constexpr double kLowest = -708.0, kHighest = 709.0;
  if (!(x >= kLowest)) return x < kLowest ? 0.0 : x;  // NaN stays
  if (x > kHighest) return std::numeric_limits<double>::infinity();
  const double n = std::nearbyint(x * std::numbers::log2e);
  const double power = std::bit_cast<double>((static_cast<int64_t>(n) + 1023) << 52);
  return (1.0 + expm1_of_small(x - n * std::numbers::ln2)) * power;
}

// With m = e^(-2|x|) - 1, tanh |x| = -m / (2 + m).
double tanh_of(double x) {
  const double exponent = -2 * std::abs(x);
  const double m = exponent > -kSmall ? expm1_of_small(exponent) : exp_of(exponent) - 1;
  return std::copysign(m / (2 + m), x);
}

double log_of(double x) { return std::log1p(x - 1); }

// Abramowitz and Stegun 1964, "Handbook of Mathematical Functions", 7.1.6: a series whose terms all
// have x's sign.
double erf_of(double x) {
  constexpr double kAllButOne = 6.0;  // from here on erf is 1 - 2e-17 and closer
  if (std::abs(x) >= kAllButOne) return x < 0 ? -1.0 : 1.0;
  double sum = x, term = x;
  for (int odd = 3; std::abs(term) > 1e-17 * std::abs(sum); odd += 2) {
    term *= 2 * x * x / odd;
    sum += term;
  }
  return 2 * std::numbers::inv_sqrtpi * exp_of(-x * x) * sum;
}

// The angle without its n quarter turns, at most pi / 4, by subtracting n pi / 2 in two parts (Cody
// and Waite 1980, "Software Manual for the Elementary Functions", chapter 8), of which the first
// has 33 bits, so that n times it is exact; then Taylor's series, whose next terms are below 5e-17.
SineAndCosine sine_and_cosine_of(double angle) {
  constexpr double kQuarterHigh = 0x1.921fb544p0, kQuarterLow = 0x1.0b4611a626331p-34;
  constexpr double kSine[] = {
      1.0,           -1.0 / 6,          1.0 / 120,        -1.0 / 5040,
      1.0 / 362'880, -1.0 / 39'916'800, 1.0 / 6227020800, -1.0 / 1307674368000};
  constexpr double kCosine[] = {1.0,
                                -1.0 / 2,
                                1.0 / 24,
                                -1.0 / 720,
                                1.0 / 40'320,
                                -1.0 / 3'628'800,
                                1.0 / 479'001'600,
                                -1.0 / 87178291200,
                                1.0 / 20922789888000};
  const double n = std::nearbyint(angle * (2 / std::numbers::pi));
  const double x = (angle - n * kQuarterHigh) - n * kQuarterLow;
  const double sine = x * polynomial(kSine, x * x), cosine = polynomial(kCosine, x * x);
  switch (static_cast<int64_t>(n) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace attnscope
