#pragma once

// How sums.h adds many rows: column by column, whatever their numbers are made of.

#include <algorithm>

#include "sums.h"
#include "vector.h"

namespace attnscope::kernels {

/// sums[e] += Σ_i, of `kVectors` vectors of columns from `column` on.
template <int kVectors, class Vector>
inline void sum_column_group(int64_t count, int64_t column, double* sums, Vector vector) {
  for (int64_t block = 0; block < count; block += kSummed) {
    const int64_t end = std::min(count, block + kSummed);
    Batch partial[kVectors];
    for (Batch& one : partial) one = Batch(0.0f);
    for (int64_t i = block; i < end; ++i) {
      for (int v = 0; v < kVectors; ++v) partial[v] += vector(i, column + v * kLanes);
    }
    float floats[kVectors * kLanes];
    for (int v = 0; v < kVectors; ++v) store(floats + v * kLanes, partial[v]);
    for (int64_t e = 0; e < kVectors * kLanes; ++e) {
      sums[column + e] += static_cast<double>(floats[e]);
    }
  }
}

/// sums[e] += Σ_i of what vector(i, e) has for e and the columns after it, and number(i, e) for e
/// alone.
template <class Vector, class Number>
inline void sum_columns(int64_t count, int64_t length, double* sums, Vector vector, Number number) {
  constexpr int kWide = 8;
  int64_t e = 0;
  for (; e + kWide * kLanes <= length; e += kWide * kLanes) {
    sum_column_group<kWide>(count, e, sums, vector);
  }
  for (; e + kLanes <= length; e += kLanes) sum_column_group<1>(count, e, sums, vector);
  for (; e < length; ++e) {
    for (int64_t block = 0; block < count; block += kSummed) {
      const int64_t end = std::min(count, block + kSummed);
      float partial = 0.0f;
      for (int64_t i = block; i < end; ++i) partial += number(i, e);
      sums[e] += static_cast<double>(partial);
    }
  }
}

}  // namespace attnscope::kernels
