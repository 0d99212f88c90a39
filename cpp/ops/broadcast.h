#pragma once

// Shapes that are spread over larger ones, as PyTorch broadcasts them.

#include "../graph/tensor.h"

namespace attnscope {

/// Whether a tensor of shape `from` can be spread over `to`: aligned at the last dimension, each of
/// its dimensions is that of `to` or 1.
inline bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 1; i <= from.size(); ++i) {
    const Dimension& dimension = from[from.size() - i];
    if (dimension != 1 && !fits(dimension, to[to.size() - i])) return false;
  }
  return true;
}

/// Where in a tensor of shape `from`, which broadcasts to `to`, the row starts that is spread over
/// row `row` of `to`. Rows are runs of the last dimension, which in `from` is whole or 1.
inline int64_t broadcast_row(const Shape& from, const Shape& to, int64_t row) {
  int64_t start = 0, stride = from.back();
  for (size_t i = 2; i <= to.size(); ++i) {
    const int64_t index = row % to[to.size() - i];
    row /= to[to.size() - i];
    if (i > from.size()) continue;
    const int64_t dimension = from[from.size() - i];
    if (dimension > 1) start += index * stride;
    stride *= dimension;
  }
  return start;
}

}  // namespace attnscope
