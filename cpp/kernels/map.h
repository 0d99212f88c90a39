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

}  // namespace attnscope::kernels
