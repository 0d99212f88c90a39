#pragma once

// Products that threads share.

#include <algorithm>

#include "../threads.h"

namespace attnscope {

/// Rows that a product computes at once with relaxed SIMD; without it, one less. Where work is cut
/// into parts of a multiple of these, only the last part ends with fewer.
inline constexpr int64_t kProductRows = 6;

/// How threads share a product of many rows and columns: in parts of both, because a part of few
/// rows and all columns would still read the whole weight.
class Parts {
 public:
  /// `terms`: of each result. `in_cache`: parts are so small that more can be done to each while it
  /// is in the cache.
  Parts(int64_t rows, int64_t columns, int64_t terms, bool in_cache);

  /// Calls work(first row, count of rows, first column, end of columns) for each part; where the
  /// rows are a late input (run/inputs.h), after load(first row, count of rows). work()
  /// reads the panels of its columns in this `order`.
  template <class Load, class Work>
  void share(bool late, Order order, Load load, Work work) const {
    const auto load_rows = [&](int64_t part) {
      if (part % column_parts() == 0) load(first_row(part), rows_from(first_row(part)));
    };
    const int64_t count = parts_of(all_rows_, rows_) * column_parts();
    parallel_tasks(
        count, late, load_rows,
        [&](int64_t part) {
          const int64_t row = first_row(part), column = part % column_parts() * columns_;
          work(row, rows_from(row), column, std::min(column + columns_, all_columns_));
        },
        order);
  }

 private:
  int64_t column_parts() const { return parts_of(all_columns_, columns_); }
  int64_t first_row(int64_t part) const { return part / column_parts() * rows_; }
  int64_t rows_from(int64_t row) const { return std::min(rows_, all_rows_ - row); }

  int64_t all_rows_, all_columns_, rows_, columns_;
};

}  // namespace attnscope
