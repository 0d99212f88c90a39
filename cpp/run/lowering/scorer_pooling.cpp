// A scorer and its pooling, part by part: each thread gets some, and hidden states that are not in
// the core yet are pooled as they come in, and need no memory but the cache. The parts are the same
// ones either way, with any number of threads, and so are the results.

#include <algorithm>
#include <vector>

#include "../../kernels/pooling.h"
#include "../../ops/linear.h"
#include "../../ops/softmax.h"
#include "../../ops/squeeze.h"
#include "../../ops/weighted_sum.h"
#include "../threads.h"
#include "parts.h"
#include "product.h"

namespace attnscope {
namespace {

constexpr int64_t kSmallSequence = 16 << 10;  // floats

/// Rows of a part of T where each is read twice: they stay in L2, and are few enough for a sum in
/// float32.
int64_t linear_rows(int64_t T, int64_t E) {
  constexpr int64_t kFloats = 48 << 10, kGroup = kernels::kPooledRows, kMost = 64;
  return std::min({T, std::max(kFloats / E / kGroup, int64_t{1}) * kGroup, kMost});
}

/// Rows of a part of T where each is multiplied with a weight: whole tiles, parts about alike.
int64_t multiplied_rows(int64_t T) {
  constexpr int64_t kRows = 66;
  return std::min(T, even_part(T, kRows, kProductRows));
}

struct ScorerPooling {
  Shape shape;   // (B, T, E)
  int64_t part;  // rows of a part, of which the last may have fewer
  TensorId hidden_id, mask_id, weights_id, output_id;
  Scorer scorer;
  int64_t slots;  // parts of an input that comes in late
  Slot<kernels::Pooled> pooled_slot;
  Slot<float> partial_slot, loaded_slot;

  int64_t parts() const { return parts_of(shape[1], part); }

  void operator()(Workspace& workspace) const {
    const int64_t B = shape[0], T = shape[1], E = shape[2], count = parts();
    const Shape sequences{B, T};
    Source source = workspace.source(hidden_id);
    if (source && T * E < kSmallSequence) workspace.load(hidden_id), source = {};
    float* weights = workspace.write(weights_id);
    float* out = workspace.write(output_id);
    kernels::Pooled* pooled = workspace.at(pooled_slot);
    float* partial = workspace.at(partial_slot);  // of all parts but the first
    const auto result_of = [&](int64_t b, int64_t p) {
      return p == 0 ? out + b * E : partial + (b * (count - 1) + p - 1) * E;
    };
    const auto first_of = [&](int64_t task) { return task / count * T + task % count * part; };
    const auto rows_of = [&](int64_t task) { return std::min(part, T - task % count * part); };
    const auto run = [&](int64_t task, const float* rows) {
      const int64_t b = task / count, first = task % count * part;
      const float* mask = sequence_mask(workspace, mask_id, sequences, b);
      float* scores = weights + b * T + first;
      pooled[task] = pool(workspace, rows, mask ? mask + first : nullptr, rows_of(task), scores,
                          result_of(b, task % count));
    };
    if (source) {
      float* loaded = workspace.at(loaded_slot);
      parallel_for_loaded(
          B * count, slots,
          [&](int64_t task, int64_t slot) {
            source(static_cast<size_t>(first_of(task) * E), static_cast<size_t>(rows_of(task) * E),
                   loaded + slot * part * E);
          },
          [&](int64_t task, int64_t slot) { run(task, loaded + slot * part * E); });
    } else {
      const float* hidden = workspace.read(hidden_id);
      parallel_for(B * count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) run(task, hidden + first_of(task) * E);
      });
    }
    for (int64_t b = 0; b < B; ++b) {
      kernels::Pooled* own = pooled + b * count;
      // Parts are added in pairs: rounding grows with the logarithm of their number.
      for (int64_t step = 1; step < count; step *= 2) {
        for (int64_t p = 0; p + step < count; p += 2 * step) {
          own[p] = kernels::add_pooled(own[p], result_of(b, p), own[p + step],
                                       result_of(b, p + step), E);
        }
      }
      kernels::finish_pooling(own[0], T, E, weights + b * T, out + b * E);
    }
  }

 private:
  kernels::Pooled pool(const Workspace& workspace, const float* rows, const float* mask,
                       int64_t count, float* scores, float* out) const {
    const int64_t E = shape[2];
    if (const ScoreVector* alone = scorer.vector_alone()) {
      return kernels::score_and_pool(rows, alone->vector(workspace), alone->bias(workspace), mask,
                                     count, E, scores, out);
    }
    scorer.run(workspace, rows, count, scores);
    return kernels::pool_scored(rows, mask, count, E, scores, out);
  }
};

/// A scorer, squeeze, softmax and the weighted sum of the scored rows: each row is read once.
Fusion scorer_pooling(const Site& site) {
  if (site.input_shape(0).size() != 3) return {};
  const int64_t B = site.input_shape(0)[0], T = site.input_shape(0)[1], E = site.input_shape(0)[2];
  const int64_t part = site.output_shape().back() == 1 ? linear_rows(T, E) : multiplied_rows(T);
  Scratch scratch;
  Chain chain(site);
  const std::optional<Scorer> scorer = Scorer::at(site, part, scratch, chain);
  if (!scorer || !chain.take<Squeeze>()) return {};
  const Step* normalize = chain.take<Softmax>();
  if (!normalize || !static_cast<const Softmax&>(*normalize->op).band().is_whole()) return {};
  const Step* combine = chain.take_shared<WeightedSum>();
  if (!combine || combine->inputs[1] != site.input(0)) return {};
  if (scorer->features() > 0) {
    // Short sequences are faster in one product of all of them, and parts of a large one would
    // take longer than a Watch (run/threads.h) may wait.
    constexpr int64_t kFewestRows = 32;
    if (T < kFewestRows || scorer->features() > kWatchedMacs / (part * E)) return {};
  }

  const int64_t parts = parts_of(T, part);
  const int64_t slots =
      site.how.threads == 1 ? 1 : std::min(B * parts, int64_t{2} * site.how.threads);
  const TensorId hidden = site.input(0), weights = normalize->output, output = combine->output;
  const ScorerPooling kernel{
      .shape = site.input_shape(0),
      .part = part,
      .hidden_id = hidden,
      .mask_id = normalize->inputs.size() > 1 ? normalize->inputs[1] : kNoTensor,
      .weights_id = weights,
      .output_id = output,
      .scorer = *scorer,
      .slots = slots,
      .pooled_slot = scratch.shared<kernels::Pooled>(Count{B} * parts),
      .partial_slot = scratch.shared<float>(Count{B} * (parts - 1) * E),
      .loaded_slot = scratch.shared<float>(T * E < kSmallSequence ? 0 : Count{slots} * part * E)};
  return {.steps = chain.length(),
          .reads = {hidden},
          .writes = {weights, output},
          .packed = scorer->packed(),
          .scratch = scratch,
          .kernel = kernel,
          .loads = true};
}

const Lowered<Linear> kRegistered(scorer_pooling);

}  // namespace
}  // namespace attnscope
