#include "positions.h"

#include "../ops/arithmetic.h"
#include "../ops/positions.h"

namespace attnscope {

Field position_field(std::vector<std::string_view> choices, Text fallback) {
  return choice_field(
      "position",
      "How positions are told apart: learned or sinusoidal vectors added to the "
      "input, rotary embedding (rope), or biases on the scores: ALiBi, T5's relative.",
      std::move(choices), fallback);
}

void check_rotation(const Config& config, Text field, int64_t head_dim) {
  if (config.choice("position") != "rope" || head_dim % 2 == 0) return;
  refuse(field, "{} must be even where position is rope, got {}", {field, head_dim});
}

void check_positions(const Config& config, Text fields, int64_t length, int64_t offset) {
  const int64_t most = config.integer("max_positions");
  if (config.choice("position") != "learned" || length + offset <= most) return;
  if (offset == 0) {
    refuse("seq_len", "{} must be at most max_positions ({}) where position is learned, got {}",
           {fields, most, length});
  }
  if (offset >= most) {
    refuse("position_offset",
           "position_offset must be less than max_positions ({}) where position is learned, got {}",
           {most, offset});
  }
  refuse("seq_len",
         "{} must be at most max_positions - position_offset ({}) where position is learned, got "
         "{}",
         {fields, most - offset, length});
}

bool has_position_vectors(const Config& config) {
  return config.choice("position") == "learned" || config.choice("position") == "sinusoidal";
}

std::optional<EmbeddingModule> declare_position_vectors(Graph& graph, const Config& config,
                                                        Text name, int64_t features) {
  if (config.choice("position") != "learned") return std::nullopt;
  return declare_embedding(graph, name, config.integer("max_positions"), features);
}

TensorId add_position_vectors(Graph& graph, const Config& config, const Span& span,
                              const std::optional<EmbeddingModule>& learned, TensorId x,
                              Text output, int64_t offset) {
  const OpPtr& add = shared_op<Add>();
  if (!has_position_vectors(config)) return x;
  const int64_t first = offset + span.past_len;
  TensorId vectors;
  if (learned) {
    vectors = graph.add_rows(learned->weight, first, first + span.seq_len);
  } else {
    const auto table =
        std::make_shared<const SinusoidalTable>(span.seq_len, graph.tensor(x).shape.back(), first);
    vectors = graph.add_step("sinusoidal", "position", table, {x}, "sinusoids");
  }
  return graph.add_step("add_position", "embed", add, {x, vectors}, output);
}

Positions add_positions(Graph& graph, const Config& config, const Span& span,
                        const HeadShape& heads, TensorId like, bool is_causal, Text prefix,
                        std::optional<double> local_theta) {
  const std::string_view position = config.choice("position");
  if (position == "rope") {
    std::vector<double> thetas;
    if (!local_theta || span.full_every > 0) thetas.push_back(config.number("rope_theta"));
    if (local_theta && span.full_every != 1) thetas.push_back(*local_theta);
    const auto table = std::make_shared<const RotaryTable>(span.seq_len, heads.head_dim,
                                                           std::move(thetas), span.past_len);
    return {.rotation = graph.add_step("rotation", "position", table, {like}, "rotation")};
  }
  if (position == "alibi") {
    const auto bias = std::make_shared<const AlibiBias>(heads.num_heads, span.seq_len,
                                                        span.kv_len(), span.cached);
    return {.bias = graph.add_step("alibi", "position", bias, {like}, "position_bias")};
  }
  if (position == "relative") {
    const EmbeddingModule table =
        declare_embedding(graph, format("{}relative_attention_bias", {prefix}),
                          RelativeBias::kBuckets, heads.num_heads);
    const auto bias =
        std::make_shared<const RelativeBias>(span.seq_len, span.kv_len(), span.cached, !is_causal);
    return {.bias = graph.add_step("relative", "position", bias, {table.weight}, "position_bias")};
  }
  return {};
}

}  // namespace attnscope
