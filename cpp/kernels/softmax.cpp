#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vector.h"

namespace attnscope::kernels {

void softmax(const float* scores, const float* mask, int64_t length, float* weights) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const int64_t whole = length / kLanes * kLanes;

  // pass 1: add the mask, find the maximum
  Batch maxima(kHidden);
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Batch score = mask ? load(scores + i) + load(mask + i) : load(scores + i);
    store(weights + i, score);
    maxima = xsimd::max(maxima, score);
  }
  float maximum = xsimd::reduce_max(maxima);
  for (int64_t i = whole; i < length; ++i) {
    weights[i] = mask ? scores[i] + mask[i] : scores[i];
    maximum = std::max(maximum, weights[i]);
  }
  const auto is_nan = [](float score) { return std::isnan(score); };
  if (maximum == kHidden && std::none_of(weights, weights + length, is_nan)) {
    std::fill_n(weights, length, 0.0f);
    return;
  }

  // pass 2: exponentiate; subtracting the maximum keeps exp() finite
  Batch sums(0.0f);
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Batch weight = xsimd::exp(load(weights + i) - Batch(maximum));
    store(weights + i, weight);
    sums += weight;
  }
  float sum = xsimd::reduce_add(sums);
  for (int64_t i = whole; i < length; ++i) sum += weights[i] = std::exp(weights[i] - maximum);

  // pass 3: normalize
  const float scale = 1.0f / sum;
  for (int64_t i = 0; i < whole; i += kLanes) store(weights + i, load(weights + i) * Batch(scale));
  for (int64_t i = whole; i < length; ++i) weights[i] *= scale;
}

}  // namespace attnscope::kernels
