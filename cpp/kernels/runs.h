#pragma once

// Sums along one row of any length: four vectors of float partial sums, which are added to doubles
// every kSummed runs, so that rounding does not grow with the length.

#include <algorithm>

#include "sums.h"
#include "vector.h"
#include "wide.h"

namespace attnscope::kernels {

/// totals[s] += Σ of what add(i, sums, v) adds to sums[s][v] for the vector of numbers at i, over
/// all whole runs. Returns the index of the first number after them.
template <int kSums, class Add>
inline int64_t sum_runs(int64_t length, double (&totals)[kSums], Add add) {
  const int64_t whole = length / kRun * kRun;
  int64_t i = 0;
  while (i < whole) {
    const int64_t end = std::min(whole, i + kSummed * kRun);
    Wide sums[kSums];
    for (auto& partial : sums) {
      for (Batch& vector : partial) vector = Batch(0.0f);
    }
    for (; i < end; i += kRun) {
      for (int v = 0; v < kWide; ++v) add(i + v * kLanes, sums, v);
    }
    for (int s = 0; s < kSums; ++s) {
      const auto& [a, b, c, d] = sums[s];
      totals[s] += static_cast<double>(xsimd::reduce_add((a + b) + (c + d)));
    }
  }
  return whole;
}

}  // namespace attnscope::kernels
