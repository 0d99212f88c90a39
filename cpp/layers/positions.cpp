#include "positions.h"

#include "../ops/arithmetic.h"
#include "../ops/positions.h"

namespace attnscope {

Field position_field(const char* meaning, std::vector<std::string_view> choices,
                     const char* fallback) {
  return choice_field("position", meaning, std::move(choices), fallback);
}

void check_rotation(const Config& config, std::string_view field, int64_t features) {
  if (config.choice("position") != "rope" || features % 2 == 0) return;
  refuse(field, "{} must be even where position is rope, got {}", {field, features});
}

void check_positions(const Config& config, std::string_view fields, int64_t length,
                     int64_t offset) {
  const Dimension most = config.dimension("max_positions");
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

std::optional<EmbeddingModule> declare_position_vectors(Parameters& parameters,
                                                        const Config& config, std::string_view name,
                                                        Dimension features) {
  if (config.choice("position") != "learned") return std::nullopt;
  return declare_embedding(parameters, name, config.dimension("max_positions"), features);
}

TensorId add_position_vectors(Graph& graph, const Config& config, const Span& span,
                              const std::optional<EmbeddingModule>& learned, TensorId x,
                              std::string_view output, int64_t offset) {
  const OpPtr& add = shared_op<Add>();
  if (!has_position_vectors(config)) return x;
  const int64_t first = offset + span.past_len;
  TensorId vectors;
  if (learned) {
    vectors = graph.use({learned->weight.parameter, first, first + span.seq_len});
  } else {
    const auto table = make_op<SinusoidalTable>(span.seq_len, graph.tensor(x).shape.back(), first);
    vectors = graph.add_step("sinusoidal", "position", table, {x}, "sinusoids");
  }
  return graph.add_step("add_position", "embed", add, {x, vectors}, output);
}

std::optional<EmbeddingModule> declare_relative_bias(Parameters& parameters, const Config& config,
                                                     Dimension num_heads, std::string_view prefix) {
  if (config.choice("position") != "relative") return std::nullopt;
  return declare_embedding(parameters, format("{}relative_attention_bias", {prefix}),
                           RelativeBias::kBuckets, num_heads);
}

PositionSteps::PositionSteps(Graph& graph, const Config& config, Dimension num_heads,
                             int64_t rotary_dim, TensorId like, bool is_causal,
                             const std::optional<EmbeddingModule>& table)
    : graph_(graph),
      position_(config.choice("position")),
      num_heads_(num_heads),
      rotary_dim_(rotary_dim),
      like_(like),
      is_causal_(is_causal),
      table_(table) {}

Positions PositionSteps::add(const Span& span, double theta, std::string_view prefix) const {
  const auto step = [&](const char* name, const OpPtr& op, TensorId input, const char* output) {
    return graph_.add_step(format("{}{}", {prefix, name}), "position", op, {input},
                           format("{}{}", {prefix, output}));
  };
  if (position_ == "rope") {
    const auto table = make_op<RotaryTable>(span.seq_len, rotary_dim_, theta, span.past_len);
    return {.rotation = step("rotation", table, like_, "rotation")};
  }
  if (position_ == "alibi") {
    const auto bias = make_op<AlibiBias>(num_heads_, span.seq_len, span.kv_len(), span.cached);
    return {.bias = step("alibi", bias, like_, "position_bias")};
  }
  if (position_ == "relative") {
    const auto bias = make_op<RelativeBias>(span.seq_len, span.kv_len(), span.cached, !is_causal_);
    return {.bias = step("relative", bias, graph_.use(table_->weight), "position_bias")};
  }
  return {};
}

bool PositionSteps::alike(const Span& a, double theta_a, const Span& b, double theta_b) const {
  return position_ == "rope" ? theta_a == theta_b : a.cached == b.cached;
}

}  // namespace attnscope
