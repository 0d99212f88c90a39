#include "optimizer.h"

#include <algorithm>
#include <cmath>

#include "vector.h"

namespace attnscope::kernels {
namespace {

/// work(index, count) with whole vectors first, and single numbers after them.
template <class Vectors, class Single>
void each(int64_t length, Vectors vectors, Single single) {
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) vectors(i);
  for (; i < length; ++i) single(i);
}

}  // namespace

void add_scaled(const float* a, const float* b, float factor, int64_t length, float* y) {
  each(
      length, [&](int64_t i) { store(y + i, load(a + i) + Batch(factor) * load(b + i)); },
      [&](int64_t i) { y[i] = a[i] + factor * b[i]; });
}

void move_average(const float* x, float rest, int64_t length, float* average) {
  each(
      length,
      [&](int64_t i) {
        const Batch old = load(average + i);
        store(average + i, old + Batch(rest) * (load(x + i) - old));
      },
      [&](int64_t i) { average[i] += rest * (x[i] - average[i]); });
}

void move_square(const float* x, float beta, float rest, int64_t length, float* average) {
  each(
      length,
      [&](int64_t i) {
        const Batch value = load(x + i);
        store(average + i, Batch(beta) * load(average + i) + Batch(rest) * value * value);
      },
      [&](int64_t i) { average[i] = beta * average[i] + rest * x[i] * x[i]; });
}

void rms_direction(const float* gradient, const float* square, const float* mean, float eps,
                   int64_t length, float* direction) {
  each(
      length,
      [&](int64_t i) {
        Batch variance = load(square + i);
        if (mean) variance -= load(mean + i) * load(mean + i);
        store(direction + i, load(gradient + i) / (xsimd::sqrt(variance) + Batch(eps)));
      },
      [&](int64_t i) {
        const float variance = square[i] - (mean ? mean[i] * mean[i] : 0.0f);
        direction[i] = gradient[i] / (std::sqrt(variance) + eps);
      });
}

void adam_step(const float* first, const float* second, const AdamRates& rates, int64_t length,
               float* parameter) {
  each(
      length,
      [&](int64_t i) {
        const Batch root =
            xsimd::sqrt(load(second + i)) / Batch(rates.root_correction) + Batch(rates.eps);
        store(parameter + i, Batch(rates.kept) * load(parameter + i) -
                                 Batch(rates.step_size) * (load(first + i) / root));
      },
      [&](int64_t i) {
        const float root = std::sqrt(second[i]) / rates.root_correction + rates.eps;
        parameter[i] = rates.kept * parameter[i] - rates.step_size * (first[i] / root);
      });
}

}  // namespace attnscope::kernels
