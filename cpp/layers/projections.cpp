#include "projections.h"

#include "../ops/heads.h"

namespace attnscope {

Projections declare_projections(Parameters& parameters, std::string_view prefix,
                                Dimension hidden_size, Dimension kdim, Dimension vdim, bool bias) {
  const auto declare = [&](const char* name, Dimension in_features) {
    return declare_linear(parameters, format("{}{}", {prefix, name}), in_features, hidden_size,
                          bias);
  };
  Projections projections;
  projections.query = declare("query_proj", hidden_size);
  projections.key = declare("key_proj", kdim);
  projections.value = declare("value_proj", vdim);
  projections.output = declare("output_proj", hidden_size);
  return projections;
}

TensorId split_heads(Graph& graph, TensorId features, Dimension num_heads, std::string_view name) {
  return graph.add_step(format("split_{}", {name}), "project", make_op<SplitHeads>(num_heads),
                        {features}, name);
}

TensorId merge_heads(Graph& graph, TensorId heads, std::string_view name) {
  const OpPtr& merge = shared_op<MergeHeads>();
  return graph.add_step(format("merge_{}", {name}), "combine", merge, {heads}, name);
}

Attended add_projected_attention(Graph& graph, const Projections& projections,
                                 const AttentionSources& from, Dimension num_heads,
                                 const AttentionOptions& options, std::string_view output) {
  const std::string& prefix = options.prefix;
  const auto project = [&](const LinearModule& linear, TensorId x, std::string_view name) {
    const TensorId features =
        apply_linear(graph, linear, "project", x, format("{}{}", {prefix, name}));
    if (num_heads == 0) return features;
    return split_heads(graph, features, num_heads, format("{}{}_heads", {prefix, name}));
  };
  const TensorId query = project(projections.query, from.query, "projected_query");
  const TensorId key = project(projections.key, from.key, "projected_key");
  const TensorId value = project(projections.value, from.value, "projected_value");
  Attended attended =
      add_attention(graph, query, key, value, options, format("{}context", {prefix}));
  if (num_heads > 0)
    attended.output = merge_heads(graph, attended.output, format("{}merged", {prefix}));
  attended.output = apply_linear(graph, projections.output, "combine", attended.output, output);
  return attended;
}

}  // namespace attnscope
