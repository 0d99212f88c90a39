#pragma once

#include <cstdint>

namespace attnscope::kernels {

/// A function of one number, as a loop: y[i] = f(x[i], parameter). x and y may be the same memory.
struct Map {
  void (*function)(const float* x, int64_t length, float parameter, float* y);
  float parameter = 0.0f;

  void operator()(const float* x, int64_t length, float* y) const {
    function(x, length, parameter, y);
  }
  void operator()(float* y, int64_t length) const { function(y, length, parameter, y); }
};

/// The gradient of such a function, as a loop: dx[i] = dy[i] f'(v[i], parameter), where v is x or
/// y. dy and dx may be the same memory.
struct GradientMap {
  void (*function)(const float* dy, const float* v, int64_t length, float parameter, float* dx);
  float parameter = 0.0f;

  void operator()(const float* dy, const float* v, int64_t length, float* dx) const {
    function(dy, v, length, parameter, dx);
  }
};

}  // namespace attnscope::kernels
