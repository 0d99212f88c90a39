#pragma once

// softmax(scale · Q Kᵀ + bias + mask) V, head by head.

#include <cstdint>
#include <span>
#include <variant>

#include "gemm.h"
#include "half.h"

namespace attnscope::kernels {

/// Queries whose scores are made at once: fastest in multiples of it.
inline constexpr int64_t kAttentionQueries = 30;  // five tiles of 6 rows, or six of 5

/// The keys [first, end) that a query sees.
struct KeyRange {
  int64_t first, end;
};

struct AttentionSizes {
  int64_t queries, keys, features, value_features;  // T, S, D, V
  float scale;
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

/// Queries [begin, end) of heads that share keys and values. Query t sees the keys visible[t]; one
/// that sees nothing, by its range or its mask, gets zeros. The heads' weights are wanted of all or
/// of none.
void attend(std::span<const QueryHead> heads, const KeysAndValues& shared,
            const AttentionSizes& sizes, const KeyRange* visible, int64_t begin, int64_t end);

}  // namespace attnscope::kernels
