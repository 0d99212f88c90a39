#pragma once

// What the attentions share that compare queries (B, T, E) with keys (B, S, K) in one head.

#include "layer.h"

namespace attnscope {

/// Inputs `query` and `key` as the fields batch_size, seq_len, kv_len, hidden_size and kdim say.
struct QueryAndKey {
  TensorId query, key;
  Dimension query_features, key_features;
};
QueryAndKey add_query_and_key(Graph& graph, const Config& config);

/// Ends the graph: softmax of the scores (B, T, S) under an optional mask, and the keys combined
/// under these weights to (B, T, K).
void add_key_combination(Graph& graph, TensorId scores, TensorId key);

/// vᵀ tanh(features) for every pair: (B, T, S, A) -> (B, T, S), v the nn.Linear(A, 1) called
/// `score`.
TensorId add_tanh_score(Graph& graph, TensorId features, Dimension attn_dim);

}  // namespace attnscope
