#include "sums.h"

#include "columns.h"

namespace attnscope::kernels {

double sum(const float* x, int64_t length) {
  constexpr int64_t kVectors = 4, kBlock = kSummed * kVectors * kLanes;
  double total = 0.0;
  for (int64_t block = 0; block < length; block += kBlock) {
    const int64_t end = std::min(length, block + kBlock);
    Batch partial[kVectors];
    for (Batch& one : partial) one = Batch(0.0f);
    int64_t i = block;
    for (; i + kVectors * kLanes <= end; i += kVectors * kLanes) {
      for (int64_t v = 0; v < kVectors; ++v) partial[v] += load(x + i + v * kLanes);
    }
    float rest = 0.0f;
    for (; i < end; ++i) rest += x[i];
    total += static_cast<double>(
        xsimd::reduce_add((partial[0] + partial[1]) + (partial[2] + partial[3])) + rest);
  }
  return total;
}

void add_to(const float* x, int64_t length, double* sums) {
  for (int64_t e = 0; e < length; ++e) sums[e] += static_cast<double>(x[e]);
}

void sum_rows(ConstRows rows, int64_t count, int64_t length, double* sums) {
  const auto at = [&](int64_t i, int64_t e) { return rows.data + i * rows.stride + e; };
  sum_columns(
      count, length, sums, [&](int64_t i, int64_t e) { return load(at(i, e)); },
      [&](int64_t i, int64_t e) { return *at(i, e); });
}

void sum_weighted_rows(ConstRows rows, const float* weights, int64_t count, int64_t length,
                       double* sums) {
  const auto at = [&](int64_t i, int64_t e) { return rows.data + i * rows.stride + e; };
  sum_columns(
      count, length, sums,
      [&](int64_t i, int64_t e) { return load(at(i, e)) * spread(weights + i); },
      [&](int64_t i, int64_t e) { return *at(i, e) * weights[i]; });
}

}  // namespace attnscope::kernels
