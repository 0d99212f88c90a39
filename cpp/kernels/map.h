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

/// Its gradient: dx[i] = dy[i] f'(x[i], parameter), where `from` has x, or f(x) where the function
/// says so. dx may be the memory of either.
struct MapGradient {
  void (*function)(const float* dy, const float* from, int64_t length, float parameter, float* dx);
  float parameter = 0.0f;

  void operator()(const float* dy, const float* from, int64_t length, float* dx) const {
    function(dy, from, length, parameter, dx);
  }
};

}  // namespace attnscope::kernels
