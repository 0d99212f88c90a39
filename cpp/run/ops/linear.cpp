#include <algorithm>
#include <vector>

#include "../../kernels/gemm.h"
#include "../../kernels/rows.h"
#include "../kernels.h"
#include "../threads.h"
#include "projection.h"

namespace attnscope {
namespace {

/// One output feature: a dot product for each row.
Kernel score_kernel(const Site& site, int64_t rows, int64_t k) {
  constexpr int64_t kGrain = 64;
  return [=, x = site.input(0), y = site.step.output,
          vector = ScoreVector(site)](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      kernels::dot_rows({from + begin * k, k}, vector.weight, vector.bias, end - begin, k,
                        scores + begin);
    });
  };
}

/// How threads share a product of many rows and columns: in parts of both, because a part of few
/// rows and all columns would still read the whole weight.
class Parts {
 public:
  /// `in_cache`: parts are so small that more can be done to each while it is in the cache.
  Parts(const Projection& projection, int64_t rows, bool in_cache)
      : all_rows_(rows), all_columns_(projection.n()), rows_(rows), columns_(all_columns_) {
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
    const int64_t macs = rows_ * projection.k();  // of a column
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
  MapFunction activate = nullptr;
  TensorId residual = kNoTensor;  // added
};

Kernel projection_kernel(const Site& site, Finish finish, TensorId y) {
  const int64_t rows = count_of(site.output_shape()) / site.output_shape().back();
  return [=, projection = Projection(site), x = site.input(0)](Workspace& workspace) {
    const int64_t n = projection.n(), k = projection.k();
    if (finish.residual != kNoTensor) workspace.load(finish.residual);
    const LateInput late = workspace.take_late(x);
    const float* from = workspace.read(x);
    const float* residual =
        finish.residual == kNoTensor ? nullptr : workspace.read(finish.residual);
    float* to = workspace.write(y);
    const Parts parts(projection, rows, finish.activate || residual);
    const auto load = [&](int64_t first, int64_t count) { late.load(first * k, count * k); };
    parts.share(bool{late}, load, [&](int64_t first, int64_t count, int64_t begin, int64_t end) {
      projection.run(from + first * k, count, to + first * n, begin, end);
      for (int64_t row = first; row < first + count; ++row) {
        float* part = to + row * n + begin;
        if (finish.activate) finish.activate(part, end - begin, part);
        if (residual) kernels::add(part, residual + row * n + begin, end - begin, part);
      }
    });
  };
}

/// A linear step, its activation and the linear step to one score: rows stay in the cache from one
/// to the next.
Kernel activated_score_kernel(const Site& site, const Step& activation, const Step& score) {
  constexpr int64_t kRows = 60;  // whole tiles, whether they have 5 rows or 6
  const int64_t rows = count_of(site.output_shape()) / site.output_shape().back();
  return [=, x = site.input(0), scorer = ActivatedScorer(site, activation, score),
          y = score.output](Workspace& workspace) {
    const int64_t k = scorer.k();
    const LateInput late = workspace.take_late(x);
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    const int64_t rows_a_task =
        is_watched() ? std::clamp(kWatchedMacs / (scorer.n() * k), int64_t{1}, kRows) : kRows;
    const auto first_of = [&](int64_t task) { return task * rows_a_task; };
    const auto count_of = [&](int64_t task) {
      return std::min(rows_a_task, rows - first_of(task));
    };
    const auto load = [&](int64_t task) { late.load(first_of(task) * k, count_of(task) * k); };
    parallel_tasks(parts_of(rows, rows_a_task), bool{late}, load, [&](int64_t task) {
      const int64_t first = first_of(task);
      scorer.run(from + first * k, count_of(task), scores + first);
    });
  };
}

/// The index after a dropout at `index`, if there is one that reads `made`; `made` is then what the
/// dropout makes, which in a run is the same numbers.
size_t after_dropout(const Place& place, const Uses& uses, size_t index, TensorId& made) {
  const Step* dropout = only_reader(place, uses, index, made);
  if (!dropout || dropout->op->name() != "dropout") return index;
  made = dropout->output;
  return index + 1;
}

Kernel linear_kernel(const Site& site) {
  const int64_t n = site.output_shape().back(), rows = count_of(site.output_shape()) / n;
  if (n == 1) return score_kernel(site, rows, site.input_shape(1)[1]);
  return projection_kernel(site, {}, site.step.output);
}

}  // namespace

Fusion single_linear(const Place& place, const Uses&, size_t) {
  if (place.step.op->name() != "linear") return {};
  return {.steps = 1,
          .reads = {place.input(0)},
          .writes = {place.step.output},
          .make_kernel = linear_kernel,
          .loads = place.output_shape().back() > 1};
}

Fusion activated_linear(const Place& place, const Uses& uses, size_t first) {
  if (place.step.op->name() != "linear" || place.output_shape().back() == 1) return {};
  const Step* activation = only_activation(place, uses, first + 1, place.step.output);
  if (!activation) return {};
  if (const Step* score = only_score(place, uses, first + 2, activation->output)) {
    return {.steps = 3,
            .reads = {place.input(0)},
            .writes = {score->output},
            .make_kernel =
                [activation, score](const Site& site) {
                  return activated_score_kernel(site, *activation, *score);
                },
            .loads = true};
  }
  return {.steps = 2,
          .reads = {place.input(0)},
          .writes = {activation->output},
          .make_kernel =
              [activation](const Site& site) {
                return projection_kernel(site, {.activate = activation_function(*activation->op)},
                                         activation->output);
              },
          .loads = true};
}

Fusion residual_linear(const Place& place, const Uses& uses, size_t first) {
  if (place.step.op->name() != "linear" || place.output_shape().back() == 1) return {};
  TensorId made = place.step.output;
  const size_t next = after_dropout(place, uses, first + 1, made);
  const std::vector<Step>& steps = place.graph.steps();
  if (next >= steps.size() || steps[next].op->name() != "add" || uses.reads(made) != 1) return {};
  const Step& add = steps[next];
  if (add.inputs[1] != made || place.graph.tensor(add.inputs[0]).shape != place.output_shape())
    return {};
  const TensorId residual = add.inputs[0];
  return {.steps = next + 1 - first,
          .reads = {place.input(0), residual},
          .writes = {add.output},
          .make_kernel =
              [&add, residual](const Site& site) {
                return projection_kernel(site, {.residual = residual}, add.output);
              },
          .loads = true};
}

}  // namespace attnscope
