#pragma once

// What an optimizer does to numbers that lie beside each other. Formulas: ops/optimizer.h.

#include <cstdint>

namespace attnscope::kernels {

/// y[i] = a[i] + factor b[i]; y may be one of them.
void add_scaled(const float* a, const float* b, float factor, int64_t length, float* y);

/// average[i] += rest (x[i] - average[i]). `rest` is 1 - beta, rounded once: 1.0f - beta is not.
void move_average(const float* x, float rest, int64_t length, float* average);

/// average[i] = beta average[i] + rest x[i]².
void move_square(const float* x, float beta, float rest, int64_t length, float* average);

/// direction[i] = gradient[i] / (sqrt(square[i] - mean[i]²) + eps); `mean` may be nullptr.
void rms_direction(const float* gradient, const float* square, const float* mean, float eps,
                   int64_t length, float* direction);

struct AdamRates {
  float kept, step_size, root_correction, eps;
};

/// parameter[i] = kept parameter[i] - step_size first[i] / (sqrt(second[i]) / root_correction +
/// eps).
void adam_step(const float* first, const float* second, const AdamRates& rates, int64_t length,
               float* parameter);

}  // namespace attnscope::kernels
