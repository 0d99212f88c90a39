#pragma once

#include <cstdint>
#include <optional>

#include "../graph/count.h"

namespace attnscope {

/// Which keys a query may attend to by its position. Query i stands at position i + offset.
struct Band {
  bool is_causal = false;           // only keys at its position or before
  std::optional<int64_t> window{};  // only keys less than this many positions away
  int64_t offset = 0;
  int64_t tail = 0;  // the last keys, which have no position and are always visible

  bool restricts() const { return is_causal || window; }
  /// Whether every query sees every key, and all of them have a position.
  bool is_whole() const { return !restricts() && tail == 0; }
  /// The keys [first, end) that query `i` sees of `kv_len`, the tail left out.
  struct Range {
    int64_t first, end;
  };
  Range visible(int64_t i, int64_t kv_len) const;
  /// Whether query `i` sees key `j` of `kv_len`.
  bool shows(int64_t i, int64_t j, int64_t kv_len) const;
  /// How many keys all queries see together, the tail included.
  Count visible_pairs(int64_t seq_len, int64_t kv_len) const;
};

}  // namespace attnscope
