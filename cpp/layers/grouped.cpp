#include "grouped.h"

#include "../ops/positions.h"

namespace attnscope {
GroupedAttention::GroupedAttention(Parameters& parameters, std::string_view prefix,
                                   const GroupedShape& shape)
    : shape_(shape) {
  const Dimension E = shape.hidden_size, D = shape.head_dim;
  const int64_t queries = shape.num_heads * D, keys = shape.num_kv_heads * D;
  query_ = declare_linear(parameters, format("{}q_proj", {prefix}), E, queries, shape.bias);
  key_ = declare_linear(parameters, format("{}k_proj", {prefix}), E, keys, shape.bias);
  value_ = declare_linear(parameters, format("{}v_proj", {prefix}), E, keys, shape.bias);
  output_ = declare_linear(parameters, format("{}o_proj", {prefix}), queries, E, shape.output_bias);
  if (!shape.qk_norm_eps) return;
  const auto norm = [&](const char* name) {
    return declare_rms_norm(parameters, format(name, {prefix}), D, *shape.qk_norm_eps,
                            shape.qk_norm_plus_one);
  };
  query_norm_ = norm("{}q_norm");
  key_norm_ = norm("{}k_norm");
}

Attended GroupedAttention::apply(Graph& graph, TensorId x, const Positions& positions,
                                 const Span& span, const Scores& scores,
                                 std::string_view output) const {
  const auto heads = [&](const LinearModule& linear, const std::optional<NormModule>& norm,
                         Dimension num_heads, bool turns, std::string_view name) {
    TensorId one = apply_linear(graph, linear, "project", x, format("projected_{}", {name}));
    one = split_heads(graph, one, num_heads, format("{}_heads", {name}));
    if (norm) one = apply_norm(graph, *norm, one, format("normed_{}", {name}));
    if (!turns || positions.rotation == kNoTensor) return one;
    return graph.add_step(format("rotate_{}", {name}), "position", shared_op<Rotate>(),
                          {one, positions.rotation}, format("rotated_{}", {name}));
  };
  const Dimension H = shape_.num_heads, G = shape_.num_kv_heads;
  const TensorId query = heads(query_, query_norm_, H, true, "query");
  const TensorId key = add_cached(graph, "key", heads(key_, key_norm_, G, true, "key"), span);
  const TensorId value = add_cached(graph, "value", heads(value_, {}, G, false, "value"), span);
  const AttentionOptions options{
      .band = {.is_causal = scores.is_causal, .window = span.window, .offset = span.cached},
      .scale = scores.scale,
      .softcap = scores.softcap,
      .bias = positions.bias};
  Attended attended = add_attention(graph, query, key, value, options, "context");
  attended.output = apply_linear(graph, output_, "combine",
                                 merge_heads(graph, attended.output, "merged"), output);
  return attended;
}

Dimension head_dim_of(const Config& config) {
  if (config.optional_integer("head_dim")) return config.dimension("head_dim");
  check_heads_divide(config, "hidden_size");
  return {config.integer("hidden_size") / config.integer("num_heads"), Axis::kHeadFeature};
}

}  // namespace attnscope
