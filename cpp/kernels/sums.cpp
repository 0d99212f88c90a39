#include "sums.h"

#include <algorithm>
#include <limits>

#include "columns.h"
#include "rows.h"
#include "runs.h"

namespace attnscope::kernels {

double sum(const float* x, int64_t length) {
  double totals[1] = {0.0};
  int64_t i =
      sum_runs(length, totals, [&](int64_t at, auto& sums, int v) { sums[0][v] += load(x + at); });
  float rest = 0.0f;
  for (; i < length; ++i) rest += x[i];
  return totals[0] + static_cast<double>(rest);
}

double sum_of_squares(const float* x, int64_t length) {
  double totals[1] = {0.0};
  int64_t i = sum_runs(length, totals, [&](int64_t at, auto& sums, int v) {
    const Batch value = load(x + at);
    sums[0][v] = madd(value, value, sums[0][v]);
  });
  float rest = 0.0f;
  for (; i < length; ++i) rest += x[i] * x[i];
  const double sum = totals[0] + static_cast<double>(rest);
  if (sum > 1e-30 && sum < std::numeric_limits<float>::infinity()) return sum;
  double wide = 0.0;  // squares that float32 cannot hold
  for (i = 0; i < length; ++i) wide += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return wide;
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
  constexpr int64_t kColumns = 1024;
  for (int64_t column = 0; column < length; column += kColumns) {
    const int64_t width = std::min(kColumns, length - column);
    for (int64_t row = 0; row < count; row += kSummed) {
      float partial[kColumns];
      std::fill_n(partial, width, 0.0f);
      const ConstRows from{rows.data + row * rows.stride + column, rows.stride};
      add_weighted_rows(from, weights + row, std::min(kSummed, count - row), width, partial);
      add_to(partial, width, sums + column);
    }
  }
}

void weighted_sum(ConstRows rows, const float* weights, int64_t count, int64_t length,
                  float* sums) {
  constexpr int64_t kColumns = 1024;
  for (int64_t column = 0; column < length; column += kColumns) {
    const int64_t width = std::min(kColumns, length - column);
    double totals[kColumns];
    std::fill_n(totals, width, 0.0);
    sum_weighted_rows({rows.data + column, rows.stride}, weights, count, width, totals);
    std::copy_n(totals, width, sums + column);
  }
}

}  // namespace attnscope::kernels
