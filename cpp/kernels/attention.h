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

/// One head of queries. A `data` of nullptr: there is none, or it is not wanted.
struct QueryHead {
  ConstRows query;       // (T, D)
  ConstRows bias, mask;  // (T, S), added to the scores
  Rows output;           // (T, V)
  Rows weights;          // (T, S)
};

/// How a call of attend() is made, for those who plan its scratch.
struct AttentionCall {
  int64_t heads, most_queries;  // of one call
  bool weights;                 // whether they are wanted
  bool stored_in_16_bits;       // whether keys and values may be
};

/// Floats that attend() needs beside its arguments.
int64_t attention_scratch(const AttentionSizes& sizes, const AttentionCall& call);

/// Queries [begin, end) of heads that share keys and values. Query t sees the keys visible[t]; one
/// that sees nothing, by its range or its mask, gets zeros. The heads' weights are wanted of all or
/// of none. `scratch` has attention_scratch() floats.
void attend(std::span<const QueryHead> heads, const KeysAndValues& shared,
            const AttentionSizes& sizes, const ScoreSteps& steps, const KeyRange* visible,
            int64_t begin, int64_t end, float* scratch);

}  // namespace attnscope::kernels
