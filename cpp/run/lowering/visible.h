#pragma once

// Sums that a hidden row must not reach: its weight is 0, and 0 times NaN or infinity is NaN.

#include "../../kernels/rows.h"

namespace attnscope {

/// Where sums[e] = Σ_i weights[i] rows[i, e] hold NaN, makes them once more of the rows alone for
/// which shows(i) is true.
///
///   rows     (count, length)
///   weights  (count,)
///   sums     (length,)
template <class Shows>
void leave_out_hidden(kernels::ConstRows rows, const float* weights, int64_t count, int64_t length,
                      Shows shows, float* sums) {
  if (!kernels::holds_nan(sums, length)) return;
  for (int64_t e = 0; e < length; ++e) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; ++i) {
      if (!shows(i)) continue;
      sum += static_cast<double>(weights[i]) * static_cast<double>(rows.data[i * rows.stride + e]);
    }
    sums[e] = static_cast<float>(sum);
  }
}

}  // namespace attnscope
