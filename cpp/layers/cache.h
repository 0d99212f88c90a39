#pragma once

// What a layer that decodes keeps of the past.

#include <optional>

#include "layer.h"

namespace attnscope {

/// A call's positions: `seq_len` new ones after `past_len`, of which the cache still has `cached`.
struct Span {
  int64_t seq_len, past_len = 0, cached = 0;
  std::optional<int64_t> window{};
  int64_t full_every = 0;  // with a window: each n-th repetition of the block has none

  int64_t kv_len() const { return cached + seq_len; }
};

/// The span of the fields seq_len, past_len and window. A window needs no more of the past than
/// what its next query sees; with layers that see everything all of it is kept.
Span span_of(const Config& config, int64_t full_every = 0);

/// Caches `fresh` (B, ..., T, D), a key say: with a past, adds the input past_`name`
/// (B, ..., cached, D). Returns past and fresh together, (B, ..., S, D).
TensorId add_cached(Graph& graph, Text name, TensorId fresh, const Span& span);

}  // namespace attnscope
