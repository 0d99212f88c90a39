#pragma once

#include <cstdint>

namespace attnscope::kernels {

/// Rows of a matrix, `stride` floats apart.
struct ConstRows {
  const float* data;
  int64_t stride;
};
struct Rows {
  float* data;
  int64_t stride;
};

}  // namespace attnscope::kernels
