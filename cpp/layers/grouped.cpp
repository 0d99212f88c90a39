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
  const bool whole = shape.qk_norm_after == NormAfter::kProjection;
  const auto norm = [&](const char* name, int64_t width) {
    return declare_rms_norm(parameters, format(name, {prefix}), whole ? Dimension(width) : D,
                            *shape.qk_norm_eps, shape.qk_norm_plus_one);
  };
  query_norm_ = norm("{}q_norm", queries);
  key_norm_ = norm("{}k_norm", keys);
}

Attended GroupedAttention::apply(Graph& graph, TensorId x, const Positions& positions,
                                 const Span& span, const Scores& scores,
                                 std::string_view output) const {
  const auto heads = [&](const LinearModule& linear, const std::optional<NormModule>& norm,
                         Dimension num_heads, bool turns, std::string_view name) {
    const auto normed = [&](NormAfter step, TensorId features) {
      if (!norm || shape_.qk_norm_after != step) return features;
      return apply_norm(graph, *norm, features, format("normed_{}", {name}));
    };
    TensorId features = apply_linear(graph, linear, "project", x, format("projected_{}", {name}));
    features = normed(NormAfter::kProjection, features);
    features = split_heads(graph, features, num_heads, format("{}_heads", {name}));
    features = normed(NormAfter::kSplit, features);
    if (turns && positions.rotation != kNoTensor) {
      const OpPtr& rotate =
          shape_.rope_interleave ? shared_op<Rotate, true>() : shared_op<Rotate>();
      features = graph.add_step(format("rotate_{}", {name}), "position", rotate,
                                {features, positions.rotation}, format("rotated_{}", {name}));
    }
    return normed(NormAfter::kRotation, features);
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
