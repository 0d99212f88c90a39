#include "grouped.h"

#include <algorithm>

#include "../ops/concat.h"
#include "../ops/embedding.h"
#include "../ops/positions.h"

namespace attnscope {
namespace {

TensorId with_past(Graph& graph, const std::string& name, TensorId present, const Span& span,
                   TensorId& past) {
  if (span.cached == 0) return present;
  static const auto concat = std::make_shared<const Concat>(2);
  Shape shape = graph.tensor(present).shape;
  shape[2] = span.cached;
  past = graph.add_repeated_input("past_" + name, shape);
  return graph.add_step("append_" + name, "cache", concat, {past, present}, "all_" + name + "s");
}

}  // namespace

Span span_of(const Config& config, int64_t full_every) {
  Span span{config.integer("seq_len"), config.integer("past_len"), config.integer("past_len"),
            config.optional_integer("window"), full_every};
  if (span.window && full_every == 0) span.cached = std::min(span.past_len, *span.window - 1);
  return span;
}

Positions add_positions(Graph& graph, const Config& config, const Span& span, int64_t num_heads,
                        int64_t head_dim, TensorId like, bool is_causal,
                        const std::string& prefix) {
  const std::string_view position = config.choice("position");
  if (position == "rope") {
    const auto table = std::make_shared<const RotaryTable>(
        span.seq_len, head_dim, config.number("rope_theta"), span.past_len);
    return {.rotation = graph.add_step("rotation", "position", table, {like}, "rotation")};
  }
  if (position == "alibi") {
    const auto bias =
        std::make_shared<const AlibiBias>(num_heads, span.seq_len, span.kv_len(), span.cached);
    return {.bias = graph.add_step("alibi", "position", bias, {like}, "position_bias")};
  }
  if (position == "relative") {
    const EmbeddingModule table = declare_embedding(graph, prefix + "relative_attention_bias",
                                                    RelativeBias::kBuckets, num_heads);
    const auto bias =
        std::make_shared<const RelativeBias>(span.seq_len, span.kv_len(), span.cached, !is_causal);
    return {.bias = graph.add_step("relative", "position", bias, {table.weight}, "position_bias")};
  }
  return {};
}

GroupedAttention::GroupedAttention(Graph& graph, const std::string& prefix,
                                   const GroupedShape& shape)
    : shape_(shape) {
  const int64_t E = shape.hidden_size, D = shape.head_dim;
  const int64_t queries = shape.num_heads * D, keys = shape.num_kv_heads * D;
  query_ = declare_linear(graph, prefix + "q_proj", E, queries, shape.bias);
  key_ = declare_linear(graph, prefix + "k_proj", E, keys, shape.bias);
  value_ = declare_linear(graph, prefix + "v_proj", E, keys, shape.bias);
  output_ = declare_linear(graph, prefix + "o_proj", queries, E, shape.output_bias);
  if (!shape.qk_norm_eps) return;
  query_norm_ = declare_rms_norm(graph, prefix + "q_norm", D, *shape.qk_norm_eps);
  key_norm_ = declare_rms_norm(graph, prefix + "k_norm", D, *shape.qk_norm_eps);
}

Attended GroupedAttention::apply(Graph& graph, TensorId x, const Positions& positions,
                                 const Span& span, bool is_causal, std::optional<double> scale,
                                 std::string output) const {
  const auto heads = [&](const LinearModule& linear, const std::optional<NormModule>& norm,
                         int64_t num_heads, bool turns, const std::string& name) {
    TensorId one = apply_linear(graph, linear, "project", x, "projected_" + name);
    one = split_heads(graph, one, num_heads, name + "_heads");
    if (norm) one = apply_norm(graph, *norm, one, "normed_" + name);
    if (!turns || positions.rotation == kNoTensor) return one;
    static const auto rotate = std::make_shared<const Rotate>();
    return graph.add_step("rotate_" + name, "position", rotate, {one, positions.rotation},
                          "rotated_" + name);
  };
  const int64_t H = shape_.num_heads, G = shape_.num_kv_heads;
  const TensorId query = heads(query_, query_norm_, H, true, "query");
  TensorId key = heads(key_, key_norm_, G, true, "key");
  TensorId value = heads(value_, {}, G, false, "value");
  for (TensorId* cached : {&key, &value}) {
    TensorId past = kNoTensor;
    *cached = with_past(graph, cached == &key ? "key" : "value", *cached, span, past);
    graph.add_cache(
        {past, *cached, span.seq_len, G * shape_.head_dim, span.window, span.full_every});
  }
  const AttentionOptions options{
      .band = {.is_causal = is_causal, .window = span.window, .offset = span.cached},
      .full_every = span.full_every,
      .scale = scale,
      .bias = positions.bias};
  Attended attended = add_attention(graph, query, key, value, options, "context");
  attended.output = apply_linear(graph, output_, "combine",
                                 merge_heads(graph, attended.output, "merged"), std::move(output));
  return attended;
}

void check_groups(int64_t num_heads, int64_t num_kv_heads) {
  if (num_heads % num_kv_heads == 0) return;
  throw FieldError("num_kv_heads", "num_kv_heads must divide num_heads (" +
                                       std::to_string(num_heads) + "), got " +
                                       std::to_string(num_kv_heads));
}

int64_t head_dim_of(const Config& config) {
  if (const std::optional<int64_t> head_dim = config.optional_integer("head_dim")) return *head_dim;
  check_heads_divide(config, "hidden_size");
  return config.integer("hidden_size") / config.integer("num_heads");
}

void check_rotation(const Config& config, std::string_view field, int64_t head_dim) {
  if (config.choice("position") != "rope" || head_dim % 2 == 0) return;
  throw FieldError(
      std::string(field),
      std::string(field) + " must be even where position is rope, got " + std::to_string(head_dim));
}

Field position_field(std::vector<std::string_view> choices, std::string_view fallback) {
  return choice_field(
      "position",
      "How positions are told apart: learned or sinusoidal vectors added to the "
      "input, rotary embedding (rope), or biases on the scores: ALiBi, T5's relative.",
      std::move(choices), fallback);
}

}  // namespace attnscope
