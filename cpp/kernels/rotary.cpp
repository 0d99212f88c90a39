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

void rotate_back(const float* y, const float* cosines, const float* sines, int64_t half,
                 bool interleaved, float* x) {
  int64_t k = 0;
  for (; k + kLanes <= half; k += kLanes) {
    const Batch left = load(y + k), right = load(y + half + k);
    const Batch cosine = load(cosines + k), sine = load(sines + k);
    const Batch a = left * cosine + right * sine, b = right * cosine - left * sine;
    if (interleaved) {
      store(x + 2 * k, xsimd::zip_lo(a, b));
      store(x + 2 * k + kLanes, xsimd::zip_hi(a, b));
    } else {
      store(x + k, a);
      store(x + half + k, b);
    }
  }
  for (; k < half; ++k) {
    x[interleaved ? 2 * k : k] = y[k] * cosines[k] + y[half + k] * sines[k];
    x[interleaved ? 2 * k + 1 : half + k] = y[half + k] * cosines[k] - y[k] * sines[k];
  }
}

}  // namespace attnscope::kernels
