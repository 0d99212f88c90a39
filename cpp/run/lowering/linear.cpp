// Linear steps, with what follows them where it can be done to their results in the cache.

#include "../../ops/linear.h"

#include <algorithm>
#include <vector>

#include "../../kernels/gemm.h"
#include "../../kernels/rows.h"
#include "../../ops/arithmetic.h"
#include "../threads.h"
#include "product.h"

namespace attnscope {
namespace {

int64_t rows_of(const Site& site) {
  return count_of(site.output_shape()) / site.output_shape().back();
}

/// How threads share a product of many rows and columns: in parts of both, because a part of few
/// rows and all columns would still read the whole weight.
class Parts {
 public:
  /// `in_cache`: parts are so small that more can be done to each while it is in the cache.
  Parts(const Product& product, int64_t rows, bool in_cache)
      : all_rows_(rows), all_columns_(product.n()), rows_(rows), columns_(all_columns_) {
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
    const int64_t macs = rows_ * product.k();  // of a column
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

/// What is done to the results of a product while they are in the cache.
struct Finish {
  std::vector<kernels::Map> maps{};
  TensorId residual = kNoTensor;  // added
};

/// The linear step at `site`, finished, to what `chain` has arrived at.
Fusion projection(const Site& site, const Chain& chain, Finish finish) {
  const int64_t rows = rows_of(site);
  Scratch scratch;
  const Product product(site, rows, scratch);
  Fusion fusion{.steps = chain.length(),
                .reads = {site.input(0)},
                .writes = {chain.made()},
                .packed = {product.weight()},
                .scratch = scratch,
                .loads = true};
  if (finish.residual != kNoTensor) fusion.reads.push_back(finish.residual);
  fusion.kernel = [=, x = site.input(0), y = chain.made()](Workspace& workspace) {
    const int64_t n = product.n(), k = product.k();
    if (finish.residual != kNoTensor) workspace.load(finish.residual);
    const LateInput late = workspace.take_late(x);
    const float* from = workspace.read(x);
    const float* residual =
        finish.residual == kNoTensor ? nullptr : workspace.read(finish.residual);
    float* to = workspace.write(y);
    const Parts parts(product, rows, !finish.maps.empty() || residual);
    const auto load = [&](int64_t first, int64_t count) { late.load(first * k, count * k); };
    parts.share(bool{late}, load, [&](int64_t first, int64_t count, int64_t begin, int64_t end) {
      product.run(workspace, from + first * k, count, to + first * n, begin, end);
      for (int64_t row = first; row < first + count; ++row) {
        float* part = to + row * n + begin;
        for (const kernels::Map& map : finish.maps) map(part, end - begin);
        if (residual) kernels::add(part, residual + row * n + begin, end - begin, part);
      }
    });
  };
  return fusion;
}

/// To one output feature: a dot product for each row.
Fusion score(const Site& site) {
  Fusion fusion = site.alone({site.input(0)});
  fusion.kernel = [rows = rows_of(site), k = site.input_shape(0).back().size, x = site.input(0),
                   y = site.output(), vector = ScoreVector(site)](Workspace& workspace) {
    constexpr int64_t kGrain = 64;
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      vector.run(workspace, from + begin * k, end - begin, scores + begin);
    });
  };
  return fusion;
}

/// A linear step and the element-wise ones after it.
Fusion mapped_linear(const Site& site) {
  if (site.output_shape().back() == 1) return score(site);
  Chain chain(site);
  std::vector<kernels::Map> maps = take_maps(chain);
  return projection(site, chain, {.maps = std::move(maps)});
}

/// A linear step, and the sum that adds its result to something else; a dropout between them does
/// nothing when a layer runs.
Fusion residual_linear(const Site& site) {
  if (site.output_shape().back() == 1) return {};
  Chain chain(site);
  if (chain.alone()) chain.take_idle();
  if (chain.ends() || !chain.alone()) return {};
  const Site next = chain.following();
  const bool adds = dynamic_cast<const Add*>(next.step().op.get()) &&
                    next.input(1) == chain.made() && next.input_shape(0) == site.output_shape();
  if (!adds) return {};
  chain.advance(next.step());
  return projection(site, chain, {.residual = next.input(0)});
}

/// Rows that are scored at once: whole tiles, whether they have 5 rows or 6.
constexpr int64_t kScoredRows = 60;

/// A scorer of rows: they stay in the cache from one of its steps to the next.
Fusion scorer(const Site& site) {
  if (site.output_shape().back() == 1) return {};
  Scratch scratch;
  Chain chain(site);
  const std::optional<Scorer> found = Scorer::at(site, kScoredRows, scratch, chain);
  if (!found) return {};
  Fusion fusion{.steps = chain.length(),
                .reads = {site.input(0)},
                .writes = {chain.made()},
                .packed = found->packed(),
                .scratch = scratch,
                .loads = true};
  fusion.kernel = [rows = rows_of(site), k = site.input_shape(0).back().size, x = site.input(0),
                   y = chain.made(), scorer = *found](Workspace& workspace) {
    const LateInput late = workspace.take_late(x);
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    const int64_t rows_a_task =
        is_watched() ? std::clamp(kWatchedMacs / (scorer.features() * k), int64_t{1}, kScoredRows)
                     : kScoredRows;
    const auto first_of = [&](int64_t task) { return task * rows_a_task; };
    const auto count_of = [&](int64_t task) {
      return std::min(rows_a_task, rows - first_of(task));
    };
    const auto load = [&](int64_t task) { late.load(first_of(task) * k, count_of(task) * k); };
    parallel_tasks(parts_of(rows, rows_a_task), bool{late}, load, [&](int64_t task) {
      const int64_t first = first_of(task);
      scorer.run(workspace, from + first * k, count_of(task), scores + first);
    });
  };
  return fusion;
}

const Lowered<Linear> kMapped(mapped_linear), kResidual(residual_linear), kScorer(scorer);

}  // namespace
}  // namespace attnscope
