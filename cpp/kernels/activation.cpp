// Activations by way of e^-|x|, which is never too large.

#include "activation.h"

#include <algorithm>

#include "exp.h"
#include "wide.h"

namespace attnscope::kernels {
namespace {

/// Runs of f, which changes four vectors in place; the last one, where it is not whole, in a copy.
template <class Function>
void map(const float* x, int64_t length, float* y, Function f) {
  for (int64_t i = 0; i < length; i += kRun) {
    float last[kRun];
    const bool whole = i + kRun <= length;
    if (!whole) std::fill(std::copy(x + i, x + length, last), last + kRun, 0.0f);
    const float* from = whole ? x + i : last;
    float* to = whole ? y + i : last;
    Wide values;
    for (int v = 0; v < kWide; ++v) values[v] = load(from + v * kLanes);
    f(values);
    for (int v = 0; v < kWide; ++v) store(to + v * kLanes, values[v]);
    if (!whole) std::copy(last, last + (length - i), y + i);
  }
}

/// Runs of dx = dy f', where f turns four vectors of x or y into f'.
template <class Function>
void map_gradient(const float* dy, const float* from, int64_t length, float* dx, Function f) {
  for (int64_t i = 0; i < length; i += kRun) {
    float last[2][kRun] = {};
    const bool whole = i + kRun <= length;
    if (!whole) {
      std::copy(dy + i, dy + length, last[0]);
      std::copy(from + i, from + length, last[1]);
    }
    const float *gradient = whole ? dy + i : last[0], *source = whole ? from + i : last[1];
    float* to = whole ? dx + i : last[0];
    Wide values;
    for (int v = 0; v < kWide; ++v) values[v] = load(source + v * kLanes);
    f(values);
    for (int v = 0; v < kWide; ++v) {
      store(to + v * kLanes, load(gradient + v * kLanes) * values[v]);
    }
    if (!whole) std::copy(last[0], last[0] + (length - i), dx + i);
  }
}

/// share = 1 / (1 + e^-x), and rest = 1 - share without what the difference would lose.
[[gnu::noinline]] void shares_of(const Wide& x, Wide& share, Wide& rest) {
  Wide e;
  for (int i = 0; i < kWide; ++i) e[i] = -xsimd::abs(x[i]);
  exp_below_zero(e);
  const Batch one(1.0f), zero(0.0f);
  for (int i = 0; i < kWide; ++i) {
    const Batch larger = one / (one + e[i]), smaller = e[i] * larger;
    share[i] = xsimd::select(x[i] < zero, smaller, larger);
    rest[i] = xsimd::select(x[i] < zero, larger, smaller);
  }
}

}  // namespace

void sigmoid_of(Wide& x) {
  Wide e;
  for (int i = 0; i < kWide; ++i) e[i] = -xsimd::abs(x[i]);
  exp_below_zero(e);
  const Batch one(1.0f), zero(0.0f);
  for (int i = 0; i < kWide; ++i) x[i] = xsimd::select(x[i] < zero, e[i], one) / (one + e[i]);
}

void tanh_of(Wide& x) {
  // With m = e^(-2|x|) - 1, tanh |x| = -m / (2 + m).
  Wide m;
  for (int i = 0; i < kWide; ++i) m[i] = xsimd::abs(x[i]) * Batch(-2.0f);
  expm1_below_zero(m);
  for (int i = 0; i < kWide; ++i) x[i] = xsimd::copysign(m[i] / (Batch(2.0f) + m[i]), x[i]);
}

// Φ(-z) = e^(-z²/2) R(1 / (1 + pole z)), z ≥ 0: R varies slowly, and the polynomial meets it at the
// Chebyshev nodes of z ≤ 14, past which the exponential is 0. Its relative error is 9e-8.
struct GeluConstants {
  float pole, minus_half;
  float polynomial[9];  // the highest degree first
};
extern const GeluConstants kGelu;  // loaded, as kExp is
const GeluConstants kGelu = {
    .pole = 0.23f,
    .minus_half = -0.5f,
    .polynomial = {-0.07793399f, 0.28794792f, -0.27330804f, 0.29629013f, -0.029574359f, 0.11818977f,
                   0.08607613f, 0.09233803f, -2.5580981e-5f}};

void relu(const float* x, int64_t length, float* y) {
  const Batch zero(0.0f);
  map(x, length, y, [&](Wide& values) {
    for (Batch& value : values) value = at_least(value, zero);
  });
}

void tanh(const float* x, int64_t length, float* y) { map(x, length, y, tanh_of); }

void sigmoid(const float* x, int64_t length, float* y) { map(x, length, y, sigmoid_of); }

void silu(const float* x, int64_t length, float* y) {
  map(x, length, y, [](Wide& values) {
    Wide share;
    std::copy_n(values, kWide, share);
    sigmoid_of(share);
    for (int i = 0; i < kWide; ++i) values[i] *= share[i];
  });
}

namespace {

/// e^(-x²/2), and Φ(-|x|) of it.
[[gnu::noinline]] void normal_tail(const Wide& x, Wide& e, Wide& tail) {
  Wide t;
  const Batch one(1.0f), pole = spread(&kGelu.pole), half = spread(&kGelu.minus_half);
  for (int i = 0; i < kWide; ++i) {
    e[i] = x[i] * x[i] * half;
    t[i] = one / madd(xsimd::abs(x[i]), pole, one);
    tail[i] = spread(kGelu.polynomial);
  }
  for (int degree = 1; degree < 9; ++degree) {
    const Batch next = spread(kGelu.polynomial + degree);
    for (int i = 0; i < kWide; ++i) tail[i] = madd(tail[i], t[i], next);
  }
  exp_below_zero(e);
  for (int i = 0; i < kWide; ++i) tail[i] = e[i] * tail[i];
}

}  // namespace

void gelu(const float* x, int64_t length, float* y) {
  map(x, length, y, [](Wide& values) {
    Wide e, tail;
    normal_tail(values, e, tail);
    const Batch one(1.0f), zero(0.0f);
    for (int i = 0; i < kWide; ++i) {
      values[i] *= xsimd::select(values[i] < zero, tail[i], one - tail[i]);
    }
  });
}

void gelu_tanh(const float* x, int64_t length, float* y) {
  map(x, length, y, [](Wide& values) {
    Wide share;
    const Batch linear(1.5957691f), cubic(0.071354814f);  // 2 √(2/π), and 0.044715 of it
    for (int i = 0; i < kWide; ++i) {
      share[i] = values[i] * madd(values[i] * values[i], cubic, linear);
    }
    sigmoid_of(share);
    for (int i = 0; i < kWide; ++i) values[i] *= share[i];
  });
}

void relu_gradient(const float* dy, const float* y, int64_t length, float* dx) {
  map_gradient(dy, y, length, dx, [](Wide& values) {
    const Batch one(1.0f), zero(0.0f);
    for (Batch& value : values) value = xsimd::select(value > zero, one, zero);
  });
}

void tanh_gradient(const float* dy, const float* y, int64_t length, float* dx) {
  map_gradient(dy, y, length, dx, [](Wide& values) {
    const Batch one(1.0f);
    for (Batch& value : values) value = (one - value) * (one + value);
  });
}

void sigmoid_gradient(const float* dy, const float* y, int64_t length, float* dx) {
  map_gradient(dy, y, length, dx, [](Wide& values) {
    const Batch one(1.0f);
    for (Batch& value : values) value *= one - value;
  });
}

void silu_gradient(const float* dy, const float* x, int64_t length, float* dx) {
  map_gradient(dy, x, length, dx, [](Wide& values) {  // share (1 + x (1 - share))
    Wide share, rest;
    shares_of(values, share, rest);
    const Batch one(1.0f);
    for (int i = 0; i < kWide; ++i) values[i] = share[i] * madd(values[i], rest[i], one);
  });
}

void gelu_gradient(const float* dy, const float* x, int64_t length, float* dx) {
  map_gradient(dy, x, length, dx, [](Wide& values) {  // Φ(x) + x e^(-x²/2) / √(2π)
    Wide e, tail;
    normal_tail(values, e, tail);
    const Batch one(1.0f), zero(0.0f), density(0.39894228f);
    for (int i = 0; i < kWide; ++i) {
      const Batch below = xsimd::select(values[i] < zero, tail[i], one - tail[i]);
      values[i] = madd(values[i] * density, e[i], below);
    }
  });
}

void gelu_tanh_gradient(const float* dy, const float* x, int64_t length, float* dx) {
  map_gradient(dy, x, length, dx, [](Wide& values) {  // share (1 + x (1 - share) inner'(x))
    Wide inner, share, rest;
    const Batch linear(1.5957691f), cubic(0.071354814f), slope(0.21406444f);  // 3 of the cubic
    const Batch one(1.0f), bound(12.0f);  // past which the share is 0 or 1
    for (int i = 0; i < kWide; ++i) {
      values[i] = -at_least(-at_least(values[i], -bound), -bound);
      inner[i] = values[i] * madd(values[i] * values[i], cubic, linear);
    }
    shares_of(inner, share, rest);
    for (int i = 0; i < kWide; ++i) {
      const Batch by_inner = madd(values[i] * values[i], slope, linear);
      values[i] = share[i] * madd(values[i] * rest[i], by_inner, one);
    }
  });
}

}  // namespace attnscope::kernels
