#pragma once

// Functions in double precision that every page loads in some hundred bytes, the logarithm by way
// of std::log1p, which the random numbers bring anyway. std::exp, and std::erf with it, std::log
// and std::pow have tables of 2 to 4 kB each that cannot be compressed; std::sin and std::cos take
// 3 kB to be right for angles of 1e300, std::tanh 600 bytes.

namespace attnscope {

/// e^x, within 1e-13 of itself where it is a normal number; 0 below that.
double exp_of(double x);

/// The hyperbolic tangent, within 1e-15 of itself.
double tanh_of(double x);

/// The logarithm of a number that is far from 0, to a few ULP.
double log_of(double x);

/// The error function, within 1e-14.
double erf_of(double x);

/// Sine and cosine of an angle of at most 1e6, within 1e-15.
struct SineAndCosine {
  double sine, cosine;
};
SineAndCosine sine_and_cosine_of(double angle);

}  // namespace attnscope
