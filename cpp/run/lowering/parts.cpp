#include "parts.h"

#include "../../kernels/gemm.h"

namespace attnscope {

Parts::Parts(int64_t rows, int64_t columns, int64_t terms, bool in_cache)
    : all_rows_(rows), all_columns_(columns), rows_(rows), columns_(columns) {
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

}  // namespace attnscope
