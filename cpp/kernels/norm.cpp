// Sums run over four lanes and four accumulators, so that rounding grows with length / 16.

#include "norm.h"

#include <cmath>

#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kRun = 4 * kLanes;

/// Σ (x - centre), or Σ (x - centre)².
template <bool kSquared>
float sum_of(const float* x, float centre, int64_t length) {
  Batch sums[4] = {Batch(0.0f), Batch(0.0f), Batch(0.0f), Batch(0.0f)};
  int64_t i = 0;
  for (; i + kRun <= length; i += kRun) {
    for (int64_t lane = 0; lane < 4; ++lane) {
      const Batch value = load(x + i + lane * kLanes) - Batch(centre);
      sums[lane] = kSquared ? madd(value, value, sums[lane]) : sums[lane] + value;
    }
  }
  float sum = xsimd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < length; ++i) {
    const float value = x[i] - centre;
    sum += kSquared ? value * value : value;
  }
  return sum;
}

}  // namespace

void layer_norm(const float* x, const float* weight, const float* bias, float eps, int64_t length,
                float* y) {
  const float count = static_cast<float>(length);
  const float guess = sum_of<false>(x, 0.0f, length) / count;
  const float mean = guess + sum_of<false>(x, guess, length) / count;  // what rounding left
  const float scale = 1.0f / std::sqrt(sum_of<true>(x, mean, length) / count + eps);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    const Batch value = (load(x + i) - Batch(mean)) * Batch(scale) * load(weight + i);
    store(y + i, bias ? value + load(bias + i) : value);
  }
  for (; i < length; ++i) {
    const float value = (x[i] - mean) * scale * weight[i];
    y[i] = bias ? value + bias[i] : value;
  }
}

void rms_norm(const float* x, const float* weight, float offset, float eps, int64_t length,
              float* y) {
  const float squares = sum_of<true>(x, 0.0f, length) / static_cast<float>(length);
  const float scale = 1.0f / std::sqrt(squares + eps);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(y + i, load(x + i) * Batch(scale) * (Batch(offset) + load(weight + i)));
  }
  for (; i < length; ++i) y[i] = x[i] * scale * (offset + weight[i]);
}

}  // namespace attnscope::kernels
