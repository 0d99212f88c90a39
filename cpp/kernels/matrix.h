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

/// The rows from `row` on.
template <class Kind>
Kind from_row(Kind rows, int64_t row) {
  return {rows.data + row * rows.stride, rows.stride};
}

}  // namespace attnscope::kernels
