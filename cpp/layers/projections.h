#pragma once

// Queries, keys and values as linear layers make them of hidden states, and heads put together
// again.

#include "../ops/linear.h"
#include "attention.h"

namespace attnscope {

/// Four nn.Linear between features of width `hidden_size`, called query_proj, key_proj, value_proj
/// and output_proj, inside the module `prefix` ("" or "attention.").
struct Projections {
  LinearModule query, key, value, output;
};
Projections declare_projections(Parameters& parameters, std::string_view prefix,
                                Dimension hidden_size, Dimension kdim, Dimension vdim, bool bias);

/// (B, T, H·D) -> (B, H, T, D), called `name`.
TensorId split_heads(Graph& graph, TensorId features, Dimension num_heads, std::string_view name);

/// (B, H, T, D) -> (B, T, H·D), called `name`.
TensorId merge_heads(Graph& graph, TensorId heads, std::string_view name);

struct AttentionSources {
  TensorId query, key, value;
};

/// Projects, attends in `num_heads` heads (0: without a dimension of heads), projects to `output`.
Attended add_projected_attention(Graph& graph, const Projections& projections,
                                 const AttentionSources& from, Dimension num_heads,
                                 const AttentionOptions& options, std::string_view output);

}  // namespace attnscope
