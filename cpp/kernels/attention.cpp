// Attention block by block, after Dao et al. 2022, "FlashAttention",
// https://arxiv.org/abs/2205.14135: scores of kQueries queries with kKeys keys are made,
// exponentiated and multiplied with the values while they are in the cache, and never stand in
// memory.
// Softmax runs along (Milakov and Gimelshein 2018, https://arxiv.org/abs/1805.02867): a row's
// maximum and sum so far are kept, and what it has gathered is scaled down when a larger score
// turns up.
//
// Keys and values are packed a block at a time, for all queries of the call: 128 kB for 64
// features. Blocks that no query sees are skipped, and of those at a band's edge the columns
// outside.
//
// Where the weights are wanted, a block has all keys: its scores are written to where the weights
// belong, and become them.

#include "attention.h"

#include <algorithm>
#include <new>

#include "attention_parts.h"
#include "blocks.h"
#include "exp.h"
#include "rows.h"
#include "softmax.h"
#include "sums.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kQueries = kAttentionQueries;
constexpr int64_t kEdgeQueries = kTileRows;
constexpr int64_t kKeys = 256;
constexpr int64_t kFewQueries = 4;
constexpr int64_t kFewKeys = 64;  // for few queries: a block of both stays in L1
constexpr int64_t kFloatsOfADouble = sizeof(double) / sizeof(float);

/// A row's softmax so far.
struct Running {
  float maximum = kHidden, sum = 0.0f;
};

/// scores · scale + bias + mask, in place. Hidden where they are masked with -inf.
void add_to_scores(float* scores, int64_t count, float scale, const float* bias,
                   const float* mask) {
  const Batch factor(scale);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Batch score = load(scores + i) * factor;
    if (bias) score = score + load(bias + i);
    if (mask) score = score + load(mask + i);
    store(scores + i, score);
  }
  for (; i < count; ++i) {
    scores[i] *= scale;
    if (bias) scores[i] += bias[i];
    if (mask) scores[i] += mask[i];
  }
}

/// Makes weights, yet to be divided by the row's sum, of a row's products for the keys
/// [first, first + count). Returns by what the row's earlier weights are now too large.
float soften(float* scores, int64_t first, int64_t count, const QueryHead& head, int64_t query,
             KeyRange visible, const ScoreSteps& steps, Running& running) {
  const Seen seen = seen_of(visible, first, count);
  clear_unseen(scores, seen, count);
  const int64_t length = seen.end - seen.begin, key = first + seen.begin;
  float* row = scores + seen.begin;
  const float scale = finish_scores(row, length, steps, added_row(head.bias, query, key),
                                    added_row(head.mask, query, key));
  const float before = running.maximum;
  running.maximum = std::max(before, largest(row, length));
  const bool same = before == kHidden || before == running.maximum;
  const float decay = same ? 1.0f : exp_below_zero(scale * (before - running.maximum));
  running.sum = running.sum * decay + exponentiate(row, length, scale, running.maximum);
  return decay;
}

/// Calls work(t, queries, from, to) for runs of the queries [begin, end): they see nothing of
/// `keys` but [keys.first + from, keys.first + to), `from` at a panel's edge. Runs are short at a
/// band's edge, because the scores of a run are made with every key that one of its queries sees.
template <class Work>
void each_run(const KeyRange* visible, int64_t begin, int64_t end, KeyRange keys, Work work) {
  const auto first_seen = [&](int64_t t) {
    return std::clamp(visible[t].first, keys.first, keys.end);
  };
  const auto end_seen = [&](int64_t t) { return std::clamp(visible[t].end, keys.first, keys.end); };
  for (int64_t block = begin; block < end; block += kQueries) {
    const int64_t block_end = std::min(block + kQueries, end);
    bool same = true;
    for (int64_t t = block + 1; t < block_end; ++t) {
      same = same && first_seen(t) == first_seen(block) && end_seen(t) == end_seen(block);
    }
    const int64_t most = same ? kQueries : kEdgeQueries;
    for (int64_t t = block; t < block_end; t += most) {
      const int64_t queries = std::min(most, block_end - t);
      const KeyRange seen = seen_by(visible, t, t + queries);
      work(t, queries, std::max<int64_t>(seen.first - keys.first, 0),
           std::min(seen.end, keys.end) - keys.first);
    }
  }
}

Running* take_running(Pieces& pieces, int64_t count) {
  static_assert(sizeof(Running) == 2 * sizeof(float));
  return new (pieces.take(2 * count)) Running[static_cast<size_t>(count)]();
}

/// Zeros; the first piece that is taken of a scratch.
double* take_doubles(Pieces& pieces, int64_t count) {
  return new (pieces.take(kFloatsOfADouble * count)) double[static_cast<size_t>(count)]();
}

/// Rows as floats: where they are, or a block of them widened.
class FloatRows {
 public:
  /// `wide`: room for the largest block, where the rows are stored in 16 bits.
  FloatRows(const StoredRows& stored, int64_t columns, float* wide)
      : stored_(stored), columns_(columns), wide_(wide) {}

  /// Rows [first, first + count); they hold until the next call.
  ConstRows block(int64_t first, int64_t count) {
    if (const ConstRows* floats = std::get_if<ConstRows>(&stored_)) return from_row(*floats, first);
    const HalfRows& halves = *std::get_if<HalfRows>(&stored_);
    from_half(halves.data + first * columns_, count * columns_, halves.format, wide_);
    return {wide_, columns_};
  }

 private:
  const StoredRows stored_;
  const int64_t columns_;
  float* const wide_;
};

/// Floats for rows that are widened; none where they are floats.
int64_t wide_size(const StoredRows& stored, int64_t count, int64_t columns) {
  return std::holds_alternative<HalfRows>(stored) ? count * columns : 0;
}

/// Keys and values [first, first + count), packed.
class Block {
 public:
  Block(const KeysAndValues& from, const AttentionSizes& sizes, int64_t most, Pieces& pieces)
      : sizes_(sizes),
        key_(from.key, sizes.features, pieces.take(wide_size(from.key, most, sizes.features))),
        value_(from.value, sizes.value_features,
               pieces.take(wide_size(from.value, most, sizes.value_features))),
        keys_(pieces.take(packed_size(most, sizes.features))),
        values_(pieces.take(packed_size(sizes.value_features, most))) {}

  void pack(int64_t first, int64_t count) {
    count_ = count;
    const ConstRows key = key_.block(first, count), value = value_.block(first, count);
    pack_transposed(key.data, key.stride, count, sizes_.features, keys_);
    pack_plain(value.data, value.stride, sizes_.value_features, count, values_);
  }

  /// Scores of `queries` queries with the block's keys [begin, end), `begin` at a panel's edge.
  void score(ConstRows query, Rows scores, int64_t queries, int64_t begin, int64_t end) const {
    const Panels panels{keys_ + begin * sizes_.features, sizes_.features};
    gemm(query, panels, nullptr, scores, queries, end - begin, sizes_.features);
  }

  /// output += weights of those keys times their values.
  void combine(ConstRows weights, Rows output, int64_t queries, int64_t begin, int64_t end) const {
    const Panels panels{values_ + begin * kPanel, count_};
    gemm_add(weights, panels, output, queries, sizes_.value_features, end - begin);
  }

 private:
  const AttentionSizes sizes_;
  FloatRows key_, value_;
  float *const keys_, *const values_;
  int64_t count_ = 0;
};

void attend_in_blocks(std::span<const QueryHead> heads, const KeysAndValues& shared,
                      const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
                      int64_t begin, int64_t end, Pieces pieces) {
  const int64_t count = end - begin, V = sizes.value_features;
  const KeyRange all = seen_by(visible, begin, end);
  Block block(shared, sizes, std::min(kKeys, all.end - all.first), pieces);
  Running* const running = take_running(pieces, static_cast<int64_t>(heads.size()) * count);
  float scores[kQueries * kKeys];
  for (const QueryHead& head : heads) clear(head.output, begin, end, V);

  for (int64_t first = all.first, next; first < all.end; first = next) {
    next = std::min((first / kKeys + 1) * kKeys, all.end);
    const int64_t keys = next - first;
    block.pack(first, keys);
    const auto attend_run = [&](int64_t t, int64_t queries, int64_t from, int64_t to) {
      if (from >= to) return;
      for (size_t h = 0; h < heads.size(); ++h) {
        const QueryHead& head = heads[h];
        const Rows rows{scores, kKeys};
        // Whole panels: what lies past the keys is never read.
        block.score(from_row(head.query, t), rows, queries, from, padded(to));
        for (int64_t q = 0; q < queries; ++q) {
          Running& own = running[static_cast<int64_t>(h) * count + t + q - begin];
          const float decay = soften(scores + q * kKeys, first + from, to - from, head, t + q,
                                     visible[t + q], steps, own);
          if (decay != 1.0f) scale(from_row(head.output, t + q).data, decay, V);
        }
        block.combine({scores, kKeys}, from_row(head.output, t), queries, from, to);
      }
    };
    each_run(visible, begin, end, {first, first + keys}, attend_run);
  }
  for (size_t h = 0; h < heads.size(); ++h) {
    for (int64_t t = begin; t < end; ++t) {
      const Running& own = running[static_cast<int64_t>(h) * count + t - begin];
      const float factor = reciprocal(own.sum);
      scale(from_row(heads[h].output, t).data, factor, V);
      if (heads[h].softmax) heads[h].softmax[t] = {own.maximum, factor};
    }
  }
}

void attend_and_write(std::span<const QueryHead> heads, const KeysAndValues& shared,
                      const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
                      int64_t begin, int64_t end, Pieces pieces) {
  const KeyRange all = seen_by(visible, begin, end);
  Block block(shared, sizes, all.end - all.first, pieces);
  block.pack(all.first, all.end - all.first);
  for (const QueryHead& head : heads) {
    clear(head.output, begin, end, sizes.value_features);
    const auto attend_run = [&](int64_t t, int64_t queries, int64_t from, int64_t to) {
      if (from >= to) return clear(head.weights, t, t + queries, sizes.keys);
      const int64_t first = all.first + from;
      Rows weights = from_row(head.weights, t);
      weights.data += first;
      block.score(from_row(head.query, t), weights, queries, from, to);
      for (int64_t q = 0; q < queries; ++q) {
        float* row = weights.data + q * weights.stride;
        Running own;
        soften(row, first, to - from, head, t + q, visible[t + q], steps, own);
        scale(row, reciprocal(own.sum), to - from);
        std::fill(row - first, row, 0.0f);
        std::fill(row + to - from, row - first + sizes.keys, 0.0f);
      }
      block.combine({weights.data, weights.stride}, from_row(head.output, t), queries, from, to);
    };
    each_run(visible, begin, end, all, attend_run);
  }
}

/// For few queries: keys and values are read where they are, because packing a row takes as long as
/// using it once.
void attend_to_rows(std::span<const QueryHead> heads, const KeysAndValues& shared,
                    const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
                    int64_t begin, int64_t end, Pieces pieces) {
  const KeyRange all = seen_by(visible, begin, end);
  const int64_t keys = all.end - all.first, V = sizes.value_features;
  const bool wanted = heads.front().weights.data;
  double* const sums = take_doubles(pieces, std::ssize(heads) * (end - begin) * V);
  float* const own = wanted ? nullptr : pieces.take(std::ssize(heads) * (end - begin) * keys);
  float* const wide =
      pieces.take(std::max(wide_size(shared.key, kFewKeys, sizes.features),
                           wide_size(shared.value, kFewKeys, sizes.value_features)));
  const auto row_of = [&](size_t h, int64_t t) {
    return static_cast<int64_t>(h) * (end - begin) + t - begin;
  };
  const auto weights_of = [&](size_t h, int64_t t) {
    return wanted ? from_row(heads[h].weights, t).data : own + row_of(h, t) * keys - all.first;
  };
  // Calls work(h, t, what the query sees of the block, rows of the first of these).
  const auto each_block = [&](const StoredRows& stored, int64_t columns, auto work) {
    FloatRows floats(stored, columns, wide);
    for (int64_t first = all.first; first < all.end; first += kFewKeys) {
      const int64_t last = std::min(first + kFewKeys, all.end);
      const ConstRows rows = floats.block(first, last - first);
      for (size_t h = 0; h < heads.size(); ++h) {
        for (int64_t t = begin; t < end; ++t) {
          const KeyRange seen{std::max(visible[t].first, first), std::min(visible[t].end, last)};
          if (seen.first < seen.end) work(h, t, seen, from_row(rows, seen.first - first));
        }
      }
    }
  };

  for (const QueryHead& head : heads) {
    if (wanted) clear(head.weights, begin, end, sizes.keys);
  }
  each_block(shared.key, sizes.features, [&](size_t h, int64_t t, KeyRange seen, ConstRows rows) {
    dot_rows(rows, from_row(heads[h].query, t).data, 0.0f, seen.end - seen.first, sizes.features,
             weights_of(h, t) + seen.first);
  });
  for (size_t h = 0; h < heads.size(); ++h) {
    for (int64_t t = begin; t < end; ++t) {
      const auto [first, last] = visible[t];
      if (first >= last) continue;
      float* weights = weights_of(h, t) + first;
      Running running;
      soften(weights, first, last - first, heads[h], t, visible[t], steps, running);
      scale(weights, reciprocal(running.sum), last - first);
    }
  }
  each_block(shared.value, V, [&](size_t h, int64_t t, KeyRange seen, ConstRows rows) {
    sum_weighted_rows(rows, weights_of(h, t) + seen.first, seen.end - seen.first, V,
                      sums + row_of(h, t) * V);
  });
  for (size_t h = 0; h < heads.size(); ++h) {
    for (int64_t t = begin; t < end; ++t) {
      std::copy_n(sums + row_of(h, t) * V, V, from_row(heads[h].output, t).data);
    }
  }
}

/// Floats that attend_to_rows() needs for `rows` rows of queries.
int64_t few_scratch(const AttentionSizes& sizes, int64_t rows, const AttentionCall& call) {
  const int64_t V = sizes.value_features, own = call.weights ? 0 : rows * sizes.keys;
  return kFloatsOfADouble * rows * V + own +
         (call.stored_in_16_bits ? kFewKeys * std::max(sizes.features, V) : 0);
}

}  // namespace

bool are_few(const AttentionSizes& sizes, int64_t heads) {
  return sizes.queries * heads <= kFewQueries;
}

float finish_scores(float* products, int64_t count, const ScoreSteps& steps, const float* bias,
                    const float* mask) {
  for (const Map& map : steps.before) map(products, count);
  if (!steps.after.empty()) {
    add_to_scores(products, count, steps.scale, bias, nullptr);
    for (const Map& map : steps.after) map(products, count);
    if (mask) add(products, mask, count, products);
    return 1.0f;
  }
  if (!bias && !mask && steps.scale > 0.0f) return steps.scale;
  add_to_scores(products, count, steps.scale, bias, mask);
  return 1.0f;
}

KeyRange seen_by(const KeyRange* visible, int64_t begin, int64_t end) {
  KeyRange all{std::numeric_limits<int64_t>::max(), 0};
  for (int64_t t = begin; t < end; ++t) {
    if (visible[t].first >= visible[t].end) continue;
    all.first = std::min(all.first, visible[t].first);
    all.end = std::max(all.end, visible[t].end);
  }
  return all.end == 0 ? KeyRange{0, 0} : KeyRange{all.first / kPanel * kPanel, all.end};
}

void clear(Rows rows, int64_t begin, int64_t end, int64_t columns) {
  for (int64_t t = begin; t < end; ++t) std::fill_n(rows.data + t * rows.stride, columns, 0.0f);
}

int64_t attention_scratch(const AttentionSizes& sizes, const AttentionCall& call) {
  const auto [T, S, D, V] = sizes;
  if (are_few(sizes, call.heads)) return few_scratch(sizes, call.heads * call.most_queries, call);
  const int64_t keys = call.weights ? S : std::min(kKeys, S);
  const int64_t running = call.weights ? 0 : 2 * call.heads * call.most_queries;
  const int64_t blocks = packed_size(keys, D) + packed_size(V, keys) + running +
                         (call.stored_in_16_bits ? keys * (D + V) : 0);
  return std::max(blocks, few_scratch(sizes, 1, call));
}

void attend(std::span<const QueryHead> heads, const KeysAndValues& shared,
            const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
            int64_t begin, int64_t end, float* scratch) {
  const Pieces pieces(scratch);
  if (are_few(sizes, std::ssize(heads))) {
    return attend_to_rows(heads, shared, sizes, steps, visible, begin, end, pieces);
  }
  const auto attend_all = heads.front().weights.data ? attend_and_write : attend_in_blocks;
  attend_all(heads, shared, sizes, steps, visible, begin, end, pieces);
  // Queries of a run share keys that some of them do not see: their weights are 0 there, and 0
  // times NaN or infinity is NaN.
  for (const QueryHead& head : heads) {
    for (int64_t t = begin; t < end; ++t) {
      const bool sees_all = visible[t].first == 0 && visible[t].end == sizes.keys;
      if (sees_all || !holds_nan(from_row(head.output, t).data, sizes.value_features)) continue;
      attend_to_rows({&head, 1}, shared, sizes, steps, visible, t, t + 1, pieces);
    }
  }
}

}  // namespace attnscope::kernels
