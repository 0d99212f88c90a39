// The gradient of attention block by block, after algorithm 4 of Dao et al. 2022, "FlashAttention",
// https://arxiv.org/abs/2205.14135: scores are made once more, from what the forward pass has kept
// of each row's softmax, and never stand in memory.
//
//   P = softmax(scores), dP = dO Vᵀ, dV = Pᵀ dO
//   dscores = P (dP - Σ P dP), where the sum is that of dO O
//   dQ = dproducts K, dK = dproductsᵀ Q
//
// A block of keys is packed for all queries, and those that see none of it are skipped. The upper
// gradient dO is divided by each row's sum of weights instead of the weights: it is shorter.

#include "attention.h"
#include "attention_parts.h"
#include "rows.h"
#include "softmax.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kQueries = 60;  // whole tiles
constexpr int64_t kKeys = kGradientKeys;
/// Of turned rows: such that neighbours do not share the same lines of the cache.
constexpr int64_t kTurnedStride = kQueries + 12;

/// dscores = weights (dweights - sum) factor, in place of dweights.
void soften_gradient(const float* weights, int64_t length, float sum, float factor,
                     float* gradients) {
  const Batch all(sum), scale(factor);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(gradients + i, (load(gradients + i) - all) * (load(weights + i) * scale));
  }
  for (; i < length; ++i) gradients[i] = (gradients[i] - sum) * (weights[i] * factor);
}

/// The gradient of one head by a block of keys after the other.
class Gradient {
 public:
  Gradient(const HeadGradient& head, const AttentionSizes& sizes, const ScoreSteps& steps,
           std::span<const ScoreGradient> gradients, const KeyRange* visible, Pieces pieces)
      : head_(head),
        sizes_(sizes),
        steps_(steps),
        gradients_(gradients),
        visible_(visible),
        keys_(pieces.take(packed_size(kKeys, sizes.features))),
        key_terms_(pieces.take(packed_size(sizes.features, kKeys))),
        values_(pieces.take(packed_size(kKeys, sizes.value_features))),
        query_terms_(pieces.take(packed_size(sizes.features, kQueries))),
        upper_terms_(pieces.take(packed_size(sizes.value_features, kQueries))),
        upper_(pieces.take(kQueries * sizes.value_features)),
        weights_(pieces.take(kQueries * kKeys)),
        slopes_(pieces.take(kQueries * kKeys)),
        turned_(pieces.take(kKeys * kTurnedStride)) {}

  static int64_t scratch(const AttentionSizes& sizes) {
    const int64_t D = sizes.features, V = sizes.value_features;
    return packed_size(kKeys, D) + packed_size(D, kKeys) + packed_size(kKeys, V) +
           packed_size(D, kQueries) + packed_size(V, kQueries) + kQueries * V +
           2 * kQueries * kKeys + kKeys * kTurnedStride;
  }

  /// Keys [first, first + count).
  void add_block(int64_t first, int64_t count) {
    const auto [T, S, D, V] = sizes_;
    if (head_.key_gradient.data) clear(head_.key_gradient, first, first + count, D);
    if (head_.value_gradient.data) clear(head_.value_gradient, first, first + count, V);
    bool packed = false;
    for (int64_t t = 0; t < T; t += kQueries) {
      const int64_t queries = std::min(kQueries, T - t);
      const KeyRange seen = seen_by(visible_, t, t + queries);
      const int64_t from = std::max<int64_t>(seen.first - first, 0);
      const int64_t to = std::min(seen.end - first, count);
      if (from >= to) continue;
      if (!packed) pack(first, count);
      packed = true;
      add_run(t, queries, first, from, to);
    }
  }

 private:
  void pack(int64_t first, int64_t count) {
    depth_ = count;
    const ConstRows key = from_row(head_.key, first), value = from_row(head_.value, first);
    pack_transposed(key.data, key.stride, count, sizes_.features, keys_);
    pack_plain(key.data, key.stride, sizes_.features, count, key_terms_);
    pack_transposed(value.data, value.stride, count, sizes_.value_features, values_);
  }

  /// `queries` queries from t on, with the block's keys [from, to), `from` at a panel's edge.
  void add_run(int64_t t, int64_t queries, int64_t first, int64_t from, int64_t to) {
    const auto [T, S, D, V] = sizes_;
    const ConstRows query = from_row(head_.query, t);
    const Rows weights{weights_, kKeys}, slopes{slopes_, kKeys};
    // Whole panels: what lies past the keys is never read.
    gemm(query, {keys_ + from * D, D}, nullptr, weights, queries, padded(to) - from, D);
    float sums[kQueries];
    for (int64_t q = 0; q < queries; ++q) {
      float* upper = upper_ + q * V;
      const float* output = from_row(head_.output, t + q).data;
      scale(from_row(head_.upper, t + q).data, head_.softmax[t + q].reciprocal, V, upper);
      dot_rows({output, V}, upper, 0.0f, 1, V, sums + q);
    }
    gemm({upper_, V}, {values_ + from * V, V}, nullptr, slopes, queries, padded(to) - from, V);
    for (int64_t q = 0; q < queries; ++q) {
      finish_row(weights_ + q * kKeys, slopes_ + q * kKeys, t + q, first + from, to - from,
                 sums[q]);
    }
    if (head_.value_gradient.data) {
      pack_plain(upper_, V, V, queries, upper_terms_);
      add_turned(weights, upper_terms_, from_row(head_.value_gradient, first + from), queries,
                 to - from, V);
    }
    if (head_.query_gradient.data) {
      gemm_add({slopes_, kKeys}, {key_terms_ + from * kPanel, depth_},
               from_row(head_.query_gradient, t), queries, D, to - from);
    }
    if (head_.key_gradient.data) {
      pack_plain(query.data, query.stride, D, queries, query_terms_);
      add_turned(slopes, query_terms_, from_row(head_.key_gradient, first + from), queries,
                 to - from, D);
    }
  }

  /// Makes weights, not yet divided by their sum, of a row of products, and the gradient by the
  /// products of that by the weights.
  void finish_row(float* weights, float* slopes, int64_t query, int64_t first, int64_t count,
                  float sum) const {
    const Seen seen = seen_of(visible_[query], first, count);
    clear_unseen(weights, seen, count);
    clear_unseen(slopes, seen, count);
    const int64_t length = seen.end - seen.begin, key = first + seen.begin;
    float *row = weights + seen.begin, *gradient = slopes + seen.begin;
    float made[kMostScoreGradients + 1][kKeys];  // by the maps before: what each is given
    for (size_t i = 0; i < gradients_.size(); ++i) {
      std::copy_n(row, length, made[i]);
      steps_.before[i](row, length);
    }
    if (!gradients_.empty()) std::copy_n(row, length, made[gradients_.size()]);
    const ScoreSteps rest{.scale = steps_.scale};
    const float scale = finish_scores(row, length, rest, added_row(head_.bias, query, key),
                                      added_row(head_.mask, query, key));
    exponentiate(row, length, scale, head_.softmax[query].maximum);
    soften_gradient(row, length, sum, steps_.scale, gradient);
    for (size_t i = gradients_.size(); i-- > 0;) {
      const auto& [map, from_output] = gradients_[i];
      map(gradient, made[from_output ? i + 1 : i], length, gradient);
    }
  }

  /// to (keys, columns) += rowsᵀ (queries, keys) times packed terms.
  void add_turned(Rows rows, const float* terms, Rows to, int64_t queries, int64_t keys,
                  int64_t columns) {
    turn({rows.data, rows.stride}, queries, keys, {turned_, kTurnedStride});
    gemm_add({turned_, kTurnedStride}, {terms, queries}, to, keys, columns, queries);
  }

  const HeadGradient& head_;
  const AttentionSizes sizes_;
  const ScoreSteps steps_;
  const std::span<const ScoreGradient> gradients_;
  const KeyRange* const visible_;
  float *const keys_, *const key_terms_, *const values_;  // a block's, packed
  float *const query_terms_, *const upper_terms_;         // a run's, packed
  float *const upper_, *const weights_, *const slopes_, *const turned_;
  int64_t depth_ = 0;  // keys of the block
};

}  // namespace

int64_t attention_gradient_scratch(const AttentionSizes& sizes) { return Gradient::scratch(sizes); }

void attend_backward(const HeadGradient& head, const AttentionSizes& sizes, const ScoreSteps& steps,
                     std::span<const ScoreGradient> gradients, const KeyRange* visible,
                     int64_t begin, int64_t end, bool first, float* scratch) {
  Gradient gradient(head, sizes, steps, gradients, visible, Pieces(scratch));
  if (first && head.query_gradient.data)
    clear(head.query_gradient, 0, sizes.queries, sizes.features);
  for (int64_t block = begin; block < end; block += kKeys) {
    gradient.add_block(block, std::min(kKeys, end - block));
  }
}

}  // namespace attnscope::kernels
