#pragma once

// What the attentions share that compare queries (B, T, E) with keys (B, S, K) in one head.

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

/// Features of each query, and of each key.
struct FeaturesOfBoth {
  Dimension query, key;
};
FeaturesOfBoth features_of(const Config& config);

/// Inputs `query` and `key` as the fields batch_size, seq_len, kv_len, hidden_size and kdim say.
struct QueryAndKey {
  TensorId query, key;
};
QueryAndKey add_query_and_key(Graph& graph, const Config& config);

/// Ends the graph: softmax of the scores (B, T, S) under an optional mask, and the keys combined
/// under these weights to (B, T, K).
void add_key_combination(Graph& graph, TensorId scores, TensorId key);

/// vᵀ tanh(features) for every pair: (B, T, S, A) -> (B, T, S), v the nn.Linear(A, 1) called
/// `score`.
LinearModule declare_tanh_score(Parameters& parameters, Dimension attn_dim);
TensorId add_tanh_score(Graph& graph, const LinearModule& score, TensorId features);

}  // namespace attnscope
