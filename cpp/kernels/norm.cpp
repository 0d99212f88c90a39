// Sums run over four lanes and four accumulators, so that rounding grows with length / 16.

#include "norm.h"

#include <cmath>

#include "columns.h"
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

NormStatistics norm_statistics(const float* x, const NormKind& norm, int64_t length) {
  const float count = static_cast<float>(length);
  float mean = 0.0f;
  if (norm.centred) {
    const float guess = sum_of<false>(x, 0.0f, length) / count;
    mean = guess + sum_of<false>(x, guess, length) / count;  // what rounding left
  }
  return {mean, 1.0f / std::sqrt(sum_of<true>(x, mean, length) / count + norm.eps)};
}

void layer_norm(const float* x, const float* weight, const float* bias, float eps, int64_t length,
                float* y) {
  const auto [mean, scale] = norm_statistics(x, {true, eps, 0.0f}, length);
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
  const float scale = norm_statistics(x, {false, eps, offset}, length).scale;
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(y + i, load(x + i) * Batch(scale) * (Batch(offset) + load(weight + i)));
  }
  for (; i < length; ++i) y[i] = x[i] * scale * (offset + weight[i]);
}

void norm_gradient(const float* dy, const float* x, const float* weight, const NormKind& norm,
                   int64_t length, float* dx) {
  const NormStatistics statistics = norm_statistics(x, norm, length);
  const float mean = statistics.mean, scale = statistics.scale;
  const auto normal_at = [&](int64_t i) { return (load(x + i) - Batch(mean)) * Batch(scale); };
  const auto g_at = [&](int64_t i) {
    return load(dy + i) * (Batch(norm.offset) + load(weight + i));
  };
  constexpr int64_t kVectors = 4;
  Batch sums[kVectors], along[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) sums[v] = along[v] = Batch(0.0f);
  int64_t i = 0;
  for (; i + kRun <= length; i += kRun) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const Batch g = g_at(i + v * kLanes);
      sums[v] += g;
      along[v] = madd(g, normal_at(i + v * kLanes), along[v]);
    }
  }
  float sum = xsimd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
  float product = xsimd::reduce_add((along[0] + along[1]) + (along[2] + along[3]));
  for (; i < length; ++i) {
    const float g = dy[i] * (norm.offset + weight[i]);
    sum += g;
    product += g * ((x[i] - mean) * scale);
  }
  const float count = static_cast<float>(length);
  const float mean_g = norm.centred ? sum / count : 0.0f, mean_product = product / count;
  for (i = 0; i + kLanes <= length; i += kLanes) {
    const Batch rest = g_at(i) - Batch(mean_g) - normal_at(i) * Batch(mean_product);
    store(dx + i, rest * Batch(scale));
  }
  for (; i < length; ++i) {
    const float g = dy[i] * (norm.offset + weight[i]);
    dx[i] = (g - mean_g - (x[i] - mean) * scale * mean_product) * scale;
  }
}

void sum_norm_weight_gradient(ConstRows dy, ConstRows x, const NormStatistics* statistics,
                              int64_t count, int64_t length, double* sums) {
  sum_columns(
      count, length, sums,
      [&](int64_t i, int64_t e) {
        const Batch centred = load(x.data + i * x.stride + e) - spread(&statistics[i].mean);
        return load(dy.data + i * dy.stride + e) * (centred * spread(&statistics[i].scale));
      },
      [&](int64_t i, int64_t e) {
        const float centred = x.data[i * x.stride + e] - statistics[i].mean;
        return dy.data[i * dy.stride + e] * (centred * statistics[i].scale);
      });
}

}  // namespace attnscope::kernels
