// Linear steps, with what follows them where it can be done to their results in the cache, and the
// gradients by the inputs of linear steps that share a weight.

#include "../../ops/linear.h"

#include <algorithm>
#include <vector>

#include "../../kernels/rows.h"
#include "../../ops/arithmetic.h"
#include "../../ops/matmul.h"
#include "../threads.h"
#include "parts.h"
#include "product.h"

namespace attnscope {
namespace {

int64_t rows_of(const Site& site) {
  return count_of(site.output_shape()) / site.output_shape().back();
}

/// What is done to the results of a product while they are in the cache.
struct Finish {
  std::vector<kernels::Map> maps{};
  TensorId residual = kNoTensor;  // added
};

/// The product at `site`, finished, to what `chain` has arrived at.
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
    const Parts parts(rows, n, k, !finish.maps.empty() || residual);
    const auto load = [&](int64_t first, int64_t count) { late.load(first * k, count * k); };
    parts.share(bool{late}, product.order(), load,
                [&](int64_t first, int64_t count, int64_t begin, int64_t end) {
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

/// x W by a weight that is packed once for several such steps.
Fusion turned_linear(const Site& site) {
  return reads_turned(site) ? projection(site, Chain(site), {}) : Fusion{};
}

const Lowered<Linear> kMapped(mapped_linear), kResidual(residual_linear), kScorer(scorer);
const Lowered<Matmul> kTurned(turned_linear);

}  // namespace
}  // namespace attnscope
