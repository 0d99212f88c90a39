// Sums run over four lanes and four accumulators, so that rounding grows with length / 16.

#include "norm.h"

#include <algorithm>
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

RowNorm row_norm(const float* x, bool centred, float eps, int64_t length) {
  const float count = static_cast<float>(length);
  float mean = 0.0f;
  if (centred) {
    const float guess = sum_of<false>(x, 0.0f, length) / count;
    mean = guess + sum_of<false>(x, guess, length) / count;  // what rounding left
  }
  return {mean, 1.0f / std::sqrt(sum_of<true>(x, mean, length) / count + eps)};
}

void layer_norm(const float* x, const float* weight, const float* bias, float eps, int64_t length,
                float* y) {
  const auto [mean, scale] = row_norm(x, true, eps, length);
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
  const float scale = row_norm(x, false, eps, length).scale;
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(y + i, load(x + i) * Batch(scale) * (Batch(offset) + load(weight + i)));
  }
  for (; i < length; ++i) y[i] = x[i] * scale * (offset + weight[i]);
}

void norm_gradient(const float* dy, const float* x, const float* weight, float offset, bool centred,
                   RowNorm norm, int64_t length, float* dx) {
  const auto [mean, scale] = norm;
  Batch sums[2] = {Batch(0.0f), Batch(0.0f)}, along[2] = {Batch(0.0f), Batch(0.0f)};
  int64_t i = 0;
  for (; i + 2 * kLanes <= length; i += 2 * kLanes) {
    for (int64_t lane = 0; lane < 2; ++lane) {
      const int64_t at = i + lane * kLanes;
      const Batch g = load(dy + at) * (Batch(offset) + load(weight + at));
      sums[lane] += g;
      along[lane] = madd(g, (load(x + at) - Batch(mean)) * Batch(scale), along[lane]);
    }
  }
  float sum = xsimd::reduce_add(sums[0] + sums[1]),
        product = xsimd::reduce_add(along[0] + along[1]);
  for (; i < length; ++i) {
    const float g = dy[i] * (offset + weight[i]);
    sum += g;
    product += g * ((x[i] - mean) * scale);
  }
  const float count = static_cast<float>(length);
  const float centre = centred ? sum / count : 0.0f, slope = product / count;
  for (i = 0; i + kLanes <= length; i += kLanes) {
    const Batch g = load(dy + i) * (Batch(offset) + load(weight + i));
    const Batch normal = (load(x + i) - Batch(mean)) * Batch(scale);
    store(dx + i, Batch(scale) * (g - Batch(centre) - normal * Batch(slope)));
  }
  for (; i < length; ++i) {
    const float g = dy[i] * (offset + weight[i]), normal = (x[i] - mean) * scale;
    dx[i] = scale * (g - centre - normal * slope);
  }
}

void norm_weight_gradient(const float* dy, const float* x, int64_t stride, const RowNorm* norms,
                          int64_t rows, int64_t length, float* sums) {
  constexpr int64_t kBlock = 64;
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    Batch total(0.0f);
    for (int64_t start = 0; start < rows; start += kBlock) {
      Batch part(0.0f);
      for (int64_t i = start; i < std::min(rows, start + kBlock); ++i) {
        const int64_t at = i * stride + e;
        const Batch normal = (load(x + at) - Batch(norms[i].mean)) * Batch(norms[i].scale);
        part = madd(load(dy + at), normal, part);
      }
      total += part;
    }
    store(sums + e, total);
  }
  for (; e < length; ++e) {
    float total = 0.0f;
    for (int64_t start = 0; start < rows; start += kBlock) {
      float part = 0.0f;
      for (int64_t i = start; i < std::min(rows, start + kBlock); ++i) {
        const int64_t at = i * stride + e;
        part += dy[at] * ((x[at] - norms[i].mean) * norms[i].scale);
      }
      total += part;
    }
    sums[e] = total;
  }
}

}  // namespace attnscope::kernels
