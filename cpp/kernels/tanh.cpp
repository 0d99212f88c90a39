#include "tanh.h"

#include <cmath>

#include "vector.h"

namespace attnscope::kernels {

void tanh(const float* x, int64_t length, float* y) {
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) store(y + i, xsimd::tanh(load(x + i)));
  for (; i < length; ++i) y[i] = std::tanh(x[i]);
}

}  // namespace attnscope::kernels
