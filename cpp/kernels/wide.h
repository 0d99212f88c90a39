#pragma once

// Four vectors at a time: what a function of numbers works on, so that its chains of operations,
// each of which waits on the one before, are several.

#include <algorithm>

#include "vector.h"

namespace attnscope::kernels {

inline constexpr int kWide = 4;  // vectors
inline constexpr int64_t kRun = kWide * kLanes;
using Wide = Batch[kWide];

/// The first `count` numbers at `from`, at most kRun, and zeros behind them.
inline void load(const float* from, int64_t count, Wide& x) {
  float last[kRun] = {};
  if (count < kRun) from = (std::copy_n(from, count, last), last);
  for (int v = 0; v < kWide; ++v) x[v] = load(from + v * kLanes);
}

/// The first `count` numbers of x.
inline void store(float* to, int64_t count, const Wide& x) {
  float last[kRun];
  float* whole = count < kRun ? last : to;
  for (int v = 0; v < kWide; ++v) store(whole + v * kLanes, x[v]);
  if (count < kRun) std::copy_n(last, count, to);
}

/// x <- sigmoid(x) and x <- tanh(x), with the errors of activation.h.
void sigmoid_of(Wide& x);
void tanh_of(Wide& x);

}  // namespace attnscope::kernels
