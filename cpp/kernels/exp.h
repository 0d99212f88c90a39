#pragma once

// e^x and 2^x for what softmax and the activations need, x ≤ 0.
//
// e^x is within 2 ULP where the result is a normal number, exactly 0 for x below -87.7 and for
// -inf, NaN for NaN. xsimd's own also handles large and denormal results, in more than twice the
// time.
//
// e^x = 2^n e^r with n = round(x / ln 2) and |r| ≤ ln 2 / 2: r by subtracting n ln 2 in two parts
// (Cody and Waite 1980, "Software Manual for the Elementary Functions", chapter 6), e^r by the
// polynomial of degree 6 that meets it at 0 and at the Chebyshev nodes; its relative error is 1e-8.
//
// 2^x is within 3 ULP where the result is a normal number, exactly 0 for x below -126.5 and for
// -inf, NaN for NaN: n = round(x), and x - n is exact. The polynomial of degree 5 that is 1 at 0
// has the least relative error that there is, 9e-8. Of its 11 operations 6 multiply, of e^x's 13
// ten do, and in attention multiplications are what everything waits for.

#include "vector.h"

namespace attnscope::kernels {

/// Constants of exp_below_zero(). In another file, so that they are loaded: V8 builds a vector
/// constant anew at every use, from general registers (measured: 1.4 against 0.64 ns a number).
struct ExpConstants {
  float lowest, log2_e, shift, minus_ln2_high, minus_ln2_low;
  float polynomial[6];  // (e^r - 1) / r, the highest degree first; the last is 1
};
extern const ExpConstants kExp;

/// x = n ln 2 + r, of kCount vectors at once: each step of one waits on the step before. Leaves r
/// in x, and makes 2^n and (e^r - 1) / r.
template <int kCount>
inline void reduce_exp(Batch (&x)[kCount], Batch (&power)[kCount], Batch (&slope)[kCount]) {
  const auto each = [](auto work) {
    for (int i = 0; i < kCount; ++i) work(i);
  };
  Batch shifted[kCount];
  const Batch lowest = spread(&kExp.lowest);
  each([&](int i) { x[i] = at_least(x[i], lowest); });
  const Batch log2_e = spread(&kExp.log2_e), shift = spread(&kExp.shift);
  each([&](int i) { shifted[i] = madd(x[i], log2_e, shift); });
  const Batch high = spread(&kExp.minus_ln2_high);
  each([&](int i) { x[i] = madd(shifted[i] - shift, high, x[i]); });
  const Batch low = spread(&kExp.minus_ln2_low);
  each([&](int i) { x[i] = madd(shifted[i] - shift, low, x[i]); });
  const Batch first = spread(kExp.polynomial);
  each([&](int i) { slope[i] = first; });
  for (int degree = 1; degree < 6; ++degree) {
    const Batch next = spread(kExp.polynomial + degree);
    each([&](int i) { slope[i] = madd(slope[i], x[i], next); });
  }
  each([&](int i) {
    power[i] = xsimd::bitwise_cast<float>(xsimd::bitwise_cast<int32_t>(shifted[i]) << 23);
  });
}

/// x <- e^x.
template <int kCount>
inline void exp_below_zero(Batch (&x)[kCount]) {
  Batch power[kCount], slope[kCount];
  reduce_exp(x, power, slope);
  const Batch one = spread(kExp.polynomial + 5);
  for (int i = 0; i < kCount; ++i) x[i] = madd(slope[i], x[i], one) * power[i];
}

/// x <- e^x - 1, which keeps the digits that 1 would swallow.
template <int kCount>
inline void expm1_below_zero(Batch (&x)[kCount]) {
  Batch power[kCount], slope[kCount];
  reduce_exp(x, power, slope);
  const Batch one = spread(kExp.polynomial + 5);
  for (int i = 0; i < kCount; ++i) {
    x[i] = madd(slope[i] * x[i], power[i], power[i] - one);
  }
}

/// Constants of exp2_below_zero(), loaded as well.
struct Exp2Constants {
  float lowest, shift;
  float polynomial[6];  // 2^r, the highest degree first; the last is 1
};
extern const Exp2Constants kExp2;

/// x <- 2^x.
template <int kCount>
inline void exp2_below_zero(Batch (&x)[kCount]) {
  const auto each = [](auto work) {
    for (int i = 0; i < kCount; ++i) work(i);
  };
  Batch shifted[kCount], y[kCount];
  const Batch lowest = spread(&kExp2.lowest), shift = spread(&kExp2.shift);
  each([&](int i) { x[i] = at_least(x[i], lowest); });
  each([&](int i) { shifted[i] = x[i] + shift; });
  each([&](int i) { x[i] = x[i] - (shifted[i] - shift); });
  const Batch first = spread(kExp2.polynomial);
  each([&](int i) { y[i] = first; });
  for (int degree = 1; degree < 6; ++degree) {
    const Batch next = spread(kExp2.polynomial + degree);
    each([&](int i) { y[i] = madd(y[i], x[i], next); });
  }
  each([&](int i) {
    x[i] = y[i] * xsimd::bitwise_cast<float>(xsimd::bitwise_cast<int32_t>(shifted[i]) << 23);
  });
}

/// Of one number, with the same rounding as in a vector.
inline float exp_below_zero(float x) {
  Batch values[] = {Batch(x)};
  exp_below_zero(values);
  return values[0].get(0);
}

}  // namespace attnscope::kernels
