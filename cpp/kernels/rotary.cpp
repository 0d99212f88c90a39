#include "rotary.h"

#include "vector.h"

namespace attnscope::kernels {

void rotate(const float* x, const float* cosines, const float* sines, int64_t half,
            bool interleaved, float* y) {
  int64_t k = 0;
  for (; k + kLanes <= half; k += kLanes) {
    Batch a, b;
    if (interleaved) {
      const Batch left = load(x + 2 * k), right = load(x + 2 * k + kLanes);
      const Batch even = xsimd::zip_lo(left, right), odd = xsimd::zip_hi(left, right);
      a = xsimd::zip_lo(even, odd);
      b = xsimd::zip_hi(even, odd);
    } else {
      a = load(x + k);
      b = load(x + half + k);
    }
    const Batch cosine = load(cosines + k), sine = load(sines + k);
    store(y + k, a * cosine - b * sine);
    store(y + half + k, b * cosine + a * sine);
  }
  for (; k < half; ++k) {
    const float a = x[interleaved ? 2 * k : k], b = x[interleaved ? 2 * k + 1 : half + k];
    y[k] = a * cosines[k] - b * sines[k];
    y[half + k] = b * cosines[k] + a * sines[k];
  }
}

void rotate_back(const float* x, const float* cosines, const float* sines, int64_t half,
                 bool interleaved, float* y) {
  int64_t k = 0;
  for (; k + kLanes <= half; k += kLanes) {
    const Batch a = load(x + k), b = load(x + half + k);
    const Batch cosine = load(cosines + k), sine = load(sines + k);
    const Batch left = a * cosine + b * sine, right = b * cosine - a * sine;
    if (interleaved) {
      store(y + 2 * k, xsimd::zip_lo(left, right));
      store(y + 2 * k + kLanes, xsimd::zip_hi(left, right));
    } else {
      store(y + k, left);
      store(y + half + k, right);
    }
  }
  for (; k < half; ++k) {
    const float a = x[k], b = x[half + k];
    y[interleaved ? 2 * k : k] = a * cosines[k] + b * sines[k];
    y[interleaved ? 2 * k + 1 : half + k] = b * cosines[k] - a * sines[k];
  }
}

}  // namespace attnscope::kernels
