#pragma once

// What a layer that decodes keeps of the past.

#include <optional>

#include "layer.h"

namespace attnscope {

/// A call's positions: `seq_len` new ones after `past_len`, of which the cache still has `cached`.
struct Span {
  Dimension seq_len;
  int64_t past_len = 0, cached = 0;
  std::optional<int64_t> window{};

  int64_t kv_len() const { return cached + seq_len; }
};

/// The span of the fields seq_len and past_len. A window needs no more of the past than what its
/// next query sees.
Span span_of(const Config& config, std::optional<int64_t> window);

/// Caches `fresh` (B, ..., T, D), a key say: with a past, adds the input past_`name`
/// (B, ..., cached, D). Returns past and fresh together, (B, ..., S, D).
TensorId add_cached(Graph& graph, std::string_view name, TensorId fresh, const Span& span);

}  // namespace attnscope
