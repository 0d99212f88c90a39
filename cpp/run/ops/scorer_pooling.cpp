// A scorer and its pooling, part by part: each thread gets some, and hidden states that are not in
// the core yet are pooled as they come in, and need no memory but the cache. The parts are the same
// ones either way, with any number of threads, and so are the results.

#include <algorithm>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "../../kernels/pooling.h"
#include "../kernels.h"
#include "../threads.h"
#include "projection.h"

namespace attnscope {
namespace {

using Scorer = std::variant<ScoreVector, ActivatedScorer>;

/// `activation`: nullptr for linear to one score.
Scorer scorer_at(const Site& site, const Step* activation, const Step& score) {
  if (activation) return ActivatedScorer(site, *activation, score);
  return ScoreVector(site);
}

struct ScorerPooling {
  Shape shape;   // (B, T, E)
  int64_t part;  // rows of a part, of which the last may have fewer
  TensorId hidden_id, mask_id, weights_id, output_id;
  Scorer scorer;

  void operator()(Workspace& workspace) const {
    const int64_t B = shape[0], T = shape[1], E = shape[2];
    Source source = workspace.source(hidden_id);
    if (source && T * E < kSmallSequence) workspace.load(hidden_id), source = {};
    const int64_t parts = parts_of(T, part);
    float* weights = workspace.write(weights_id);
    float* out = workspace.write(output_id);
    std::vector<kernels::Pooled> pooled(static_cast<size_t>(B * parts));
    std::vector<float> partial(static_cast<size_t>(B * (parts - 1) * E));  // of all but the first
    const auto result_of = [&](int64_t b, int64_t p) {
      return p == 0 ? out + b * E : partial.data() + (b * (parts - 1) + p - 1) * E;
    };
    const auto first_of = [&](int64_t task) { return task / parts * T + task % parts * part; };
    const auto rows_of = [&](int64_t task) { return std::min(part, T - task % parts * part); };
    const auto run = [&](int64_t task, const float* rows) {
      const int64_t b = task / parts, first = task % parts * part;
      const float* mask = sequence_mask(workspace, mask_id, {B, T}, b);
      pooled[static_cast<size_t>(task)] = pool(rows, mask ? mask + first : nullptr, rows_of(task),
                                               weights + b * T + first, result_of(b, task % parts));
    };
    if (source) {
      const int64_t slots =
          thread_count() == 1 ? 1 : std::min(B * parts, int64_t{2} * thread_count());
      std::vector<float> loaded(static_cast<size_t>(slots * part * E));
      parallel_for_loaded(
          B * parts, slots,
          [&](int64_t task, int64_t slot) {
            source(static_cast<size_t>(first_of(task) * E), static_cast<size_t>(rows_of(task) * E),
                   loaded.data() + slot * part * E);
          },
          [&](int64_t task, int64_t slot) { run(task, loaded.data() + slot * part * E); });
    } else {
      const float* hidden = workspace.read(hidden_id);
      parallel_for(B * parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) run(task, hidden + first_of(task) * E);
      });
    }
    for (int64_t b = 0; b < B; ++b) {
      kernels::Pooled all = pooled[static_cast<size_t>(b * parts)];
      for (int64_t p = 1; p < parts; ++p) {
        all = kernels::add_pooled(all, out + b * E, pooled[static_cast<size_t>(b * parts + p)],
                                  result_of(b, p), E);
      }
      kernels::finish_pooling(all, T, E, weights + b * T, out + b * E);
    }
  }

 private:
  static constexpr int64_t kSmallSequence = 16 << 10;  // floats

  /// As kernels::score_and_pool() does.
  kernels::Pooled pool(const float* rows, const float* mask, int64_t count, float* scores,
                       float* out) const {
    const int64_t E = shape[2];
    if (const auto* vector = std::get_if<ScoreVector>(&scorer)) {
      return kernels::score_and_pool(rows, vector->weight, vector->bias, mask, count, E, scores,
                                     out);
    }
    std::get_if<ActivatedScorer>(&scorer)->run(rows, count, scores);
    return kernels::pool_scored(rows, mask, count, E, scores, out);
  }
};

/// Rows of a part of T where each is read twice: they stay in L2.
int64_t linear_rows(int64_t T, int64_t E) {
  constexpr int64_t kFloats = 48 << 10, kGroup = kernels::kPooledRows;
  return std::min(T, std::max(kFloats / E / kGroup, int64_t{1}) * kGroup);
}

/// Rows of a part of T where each is multiplied with a weight: whole tiles, parts about alike.
int64_t activated_rows(int64_t T) {
  constexpr int64_t kRows = 66;
  return std::min(T, even_part(T, kRows, kProductRows));
}

}  // namespace

Fusion scorer_pooling(const Place& place, const Uses& uses, size_t first) {
  const Step *activation = nullptr, *score = &place.step;
  if (score->op->name() != "linear") return {};
  if (place.output_shape().back() > 1) {
    activation = only_activation(place, uses, first + 1, place.step.output);
    if (!activation) return {};
    score = only_score(place, uses, first + 2, activation->output);
    if (!score) return {};
  }
  const std::span<const Step> rest(score + 1, &place.graph.steps().back() + 1);
  if (rest.size() < 3) return {};
  const Step &squeeze = rest[0], &normalize = rest[1], &combine = rest[2];
  const auto is_op = [](const Step& step, std::string_view name) {
    return step.op->name() == name;
  };
  const bool fits = is_op(squeeze, "squeeze") && squeeze.inputs[0] == score->output &&
                    is_op(normalize, "softmax") && normalize.inputs[0] == squeeze.output &&
                    is_op(combine, "weighted_sum") && combine.inputs[0] == normalize.output &&
                    combine.inputs[1] == place.input(0);
  if (!fits) return {};

  const int64_t T = place.input_shape(0)[1], E = place.input_shape(0)[2];
  if (activation) {
    // Short sequences are faster in one product of all of them, and parts of a large one would
    // take longer than a Watch (run/threads.h) may wait.
    constexpr int64_t kFewestRows = 32;
    const int64_t most = kWatchedMacs / (activated_rows(T) * E);
    if (T < kFewestRows || place.output_shape().back() > most) return {};
  }
  const TensorId hidden_id = place.input(0), mask_id = normalize.inputs[1],
                 weights_id = normalize.output, output_id = combine.output;
  const auto make_kernel = [=](const Site& site) {
    return ScorerPooling{.shape = site.input_shape(0),
                         .part = activation ? activated_rows(T) : linear_rows(T, E),
                         .hidden_id = hidden_id,
                         .mask_id = mask_id,
                         .weights_id = weights_id,
                         .output_id = output_id,
                         .scorer = scorer_at(site, activation, *score)};
  };
  return {.steps = static_cast<size_t>(&combine - &place.step) + 1,
          .reads = {hidden_id},
          .writes = {weights_id, output_id},
          .make_kernel = make_kernel,
          .loads = true};
}

}  // namespace attnscope
