#pragma once

#include <algorithm>

#include "../../kernels/gemm.h"
#include "../threads.h"

namespace attnscope {

/// Rows that a product computes at once with relaxed SIMD; without it, one less. Where work is cut
/// into parts of a multiple of these, only the last part ends with fewer.
inline constexpr int64_t kProductRows = 6;

/// How threads share a product of many rows and columns: in parts of both, because a part of few
/// rows and all columns would still read the whole weight.
class Parts {
 public:
  /// Of rows and columns that are sums of `terms` each. `in_cache`: parts are so small that more
  /// can be done to each while it is in the cache.
  Parts(int64_t columns, int64_t terms, int64_t rows, bool in_cache)
      : all_rows_(rows), all_columns_(columns), rows_(rows), columns_(all_columns_) {
    constexpr int64_t kRows = 264;  // so that a block of B is used by many
    constexpr int64_t kPartsOfAThread = 4;
    constexpr int64_t kFewestMacs = 100'000;  // to hand a part over takes the time of 1000
    constexpr int64_t kCachedFloats = 64 << 10;
    const int64_t threads = thread_count();
    if (threads == 1 && !in_cache && !is_watched()) return;
    const int64_t row_parts = parts_of(rows, kRows);
    rows_ = even_part(rows, kRows, kProductRows);
    // No part is small enough for another order of sums: results do not depend on threads.
    const auto last_part = [&] { return (rows - 1) % rows_ + 1; };
    while (last_part() <= kernels::kFewRows && rows_ < rows) rows_ += kProductRows;
    const int64_t macs = rows_ * terms;  // of a column
    if (threads > 1)
      columns_ = parts_of(all_columns_, parts_of(threads * kPartsOfAThread, row_parts));
    columns_ = std::max(columns_, parts_of(kFewestMacs, macs));
    if (in_cache) columns_ = std::min(columns_, kCachedFloats / rows_);
    if (is_watched()) columns_ = std::min(columns_, kWatchedMacs / macs);
    columns_ = std::max(parts_of(columns_, kernels::kPanel), int64_t{1}) * kernels::kPanel;
  }

  /// Calls work(first row, count of rows, first column, end of columns) for each part; where the
  /// rows are a late input (run/inputs.h), after load(first row, count of rows).
  template <class Load, class Work>
  void share(bool late, Load load, Work work) const {
    const auto load_rows = [&](int64_t part) {
      if (part % column_parts() == 0) load(first_row(part), rows_from(first_row(part)));
    };
    const int64_t count = parts_of(all_rows_, rows_) * column_parts();
    parallel_tasks(count, late, load_rows, [&](int64_t part) {
      const int64_t row = first_row(part), column = part % column_parts() * columns_;
      work(row, rows_from(row), column, std::min(column + columns_, all_columns_));
    });
  }

 private:
  int64_t column_parts() const { return parts_of(all_columns_, columns_); }
  int64_t first_row(int64_t part) const { return part / column_parts() * rows_; }
  int64_t rows_from(int64_t row) const { return std::min(rows_, all_rows_ - row); }

  int64_t all_rows_, all_columns_, rows_, columns_;
};

}  // namespace attnscope
