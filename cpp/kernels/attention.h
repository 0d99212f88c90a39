#pragma once

// softmax(f(Q Kᵀ) + mask) V, head by head, f being what is done to each product by itself, and a
// bias.

#include <cstdint>
#include <span>
#include <variant>

#include "gemm.h"
#include "half.h"
#include "map.h"

namespace attnscope::kernels {

/// Queries whose scores are made at once: fastest in multiples of it.
inline constexpr int64_t kAttentionQueries = 30;  // five tiles of 6 rows, or six of 5

/// The keys [first, end) that a query sees.
struct KeyRange {
  int64_t first, end;
};

struct AttentionSizes {
  int64_t queries, keys, features, value_features;  // T, S, D, V
};

/// What becomes of a row of products before its softmax: after(scale · before(products) + bias).
struct ScoreSteps {
  std::span<const Map> before{};
  float scale = 1.0f;
  std::span<const Map> after{};
};

/// Numbers in 16 bits, as a KV cache may keep them, are widened a block at a time.
using StoredRows = std::variant<ConstRows, HalfRows>;

/// What several heads share: keys (S, D) and values (S, V).
struct KeysAndValues {
  StoredRows key, value;
};

/// A row's softmax: each weight is e^(score - maximum) · reciprocal, where a factor that ScoreSteps
/// leaves to the end multiplies the difference.
struct RowSoftmax {
  float maximum, reciprocal;
};

/// One head of queries. A `data` of nullptr: there is none, or it is not wanted.
struct QueryHead {
  ConstRows query;       // (T, D)
  ConstRows bias, mask;  // (T, S), added to the scores
  Rows output;           // (T, V)
  Rows weights;          // (T, S)
  RowSoftmax* softmax;   // (T,), for the gradient; not with weights, nor where queries are few
};

/// How a call of attend() is made, for those who plan its scratch.
struct AttentionCall {
  int64_t heads, most_queries;  // of one call
  bool weights;                 // whether they are wanted
  bool stored_in_16_bits;       // whether keys and values may be
};

/// Whether so many queries, of heads that share keys and values, read these where they are: packing
/// a row takes as long as using it once. Not by how many queries a call has: results do not depend
/// on how queries are shared out.
bool are_few(const AttentionSizes& sizes, int64_t heads);

/// Floats that attend() needs beside its arguments.
int64_t attention_scratch(const AttentionSizes& sizes, const AttentionCall& call);

/// Queries [begin, end) of heads that share keys and values. Query t sees the keys visible[t]; one
/// that sees nothing, by its range or its mask, gets zeros. The heads' weights are wanted of all or
/// of none. `scratch` has attention_scratch() floats.
void attend(std::span<const QueryHead> heads, const KeysAndValues& shared,
            const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
            int64_t begin, int64_t end, float* scratch);

/// What the gradient of one head goes back through, from the scores to the products: dx = dy f'.
struct ScoreGradient {
  MapGradient map;
  bool from_output;  // whether it is computed from f(x)
};

/// One head of queries with its keys and values, and their gradients. A `data` of nullptr: there is
/// none, or it is not wanted.
struct HeadGradient {
  ConstRows query, key, value;        // (T, D), (S, D), (S, V)
  ConstRows bias, mask;               // (T, S)
  ConstRows output, upper;            // (T, V), what attend() made, and the gradient by it
  const RowSoftmax* softmax;          // (T,), as attend() left it
  Rows query_gradient;                // (T, D)
  Rows key_gradient, value_gradient;  // (S, D), (S, V)
};

/// Keys whose scores are made at once for the gradient.
inline constexpr int64_t kGradientKeys = 120;  // whole panels, and whole tiles of 5 rows or 6

/// The most `before` of ScoreSteps that attend_backward() goes back through.
inline constexpr size_t kMostScoreGradients = 4;

/// Floats that attend_backward() needs beside its arguments.
int64_t attention_gradient_scratch(const AttentionSizes& sizes);

/// The gradients of the keys and values [begin, end), `begin` a multiple of kGradientKeys, and what
/// these keys add to those of all queries: the first call makes them, the others add to them.
/// `steps` has no `after`; `gradients` are those of `before`, in its order.
void attend_backward(const HeadGradient& head, const AttentionSizes& sizes, const ScoreSteps& steps,
                     std::span<const ScoreGradient> gradients, const KeyRange* visible,
                     int64_t begin, int64_t end, bool first, float* scratch);

}  // namespace attnscope::kernels
