#include "torch_transformer.h"

#include "../graph/number.h"
#include "fields.h"

namespace attnscope {

std::string torch_layer_arguments(const Config& config) {
  const Dimension F = config.dimension("intermediate_size");
  const double dropout = config.number("dropout"), eps = config.number("norm_eps");
  std::string text =
      format("{}, {}", {config.dimension("hidden_size"), config.dimension("num_heads")});
  if (F != 2048) text += format(", dim_feedforward={}", {F});
  if (dropout != 0.1) text += format(", dropout={}", {dropout});
  if (config.choice("activation") != "relu") {
    text += format(", activation=\"{}\"", {config.choice("activation")});
  }
  if (eps != 1e-5) text += format(", layer_norm_eps={}", {python_number(eps)});
  text += ", batch_first=True";
  if (config.flag("norm_first")) text += ", norm_first=True";
  if (!config.flag("bias")) text += ", bias=False";
  return text;
}

TensorId TorchSublayer::before(Graph& graph, TensorId x) const {
  return norm_first_ ? apply_norm(graph, norm_, x, format("{}_normed", {name_})) : x;
}

TensorId TorchSublayer::after(Graph& graph, TensorId x, TensorId made,
                              std::string_view output) const {
  const TensorId dropped =
      apply_dropout(graph, dropout_, "residual", made, format("{}_dropped", {name_}));
  if (norm_first_) return add_residual(graph, x, dropped, output);
  const TensorId sum = add_residual(graph, x, dropped, format("{}_sum", {name_}));
  return apply_norm(graph, norm_, sum, output);
}

FeedForward declare_torch_feed_forward(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), F = config.dimension("intermediate_size");
  const bool bias = config.flag("bias");
  FeedForward feed_forward{.up = declare_linear(parameters, "linear1", E, F, bias, false),
                           .activation = config.choice("activation")};
  feed_forward.dropout = declare_dropout(parameters, "dropout", config.number("dropout"), false);
  feed_forward.down = declare_linear(parameters, "linear2", F, E, bias, false);
  return feed_forward;
}

TorchEncoderLayer declare_torch_encoder_layer(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  const bool bias = config.flag("bias");
  const double share = config.number("dropout"), eps = config.number("norm_eps");
  parameters.inherit("nn.TransformerEncoderLayer", torch_layer_arguments(config));
  const PackedProjections attention =
      declare_packed_multihead(parameters, "self_attn", {E, E, E, bias, false});
  const FeedForward feed_forward = declare_torch_feed_forward(parameters, config);
  const NormModule norm1 = declare_layer_norm(parameters, "norm1", E, eps, bias, false);
  const NormModule norm2 = declare_layer_norm(parameters, "norm2", E, eps, bias, false);
  const DropoutModule dropout1 = declare_dropout(parameters, "dropout1", share, false);
  const DropoutModule dropout2 = declare_dropout(parameters, "dropout2", share, false);
  return {attention, feed_forward, TorchSublayer(config, norm1, dropout1, "attention"),
          TorchSublayer(config, norm2, dropout2, "feed_forward")};
}

Attended add_torch_encoder_layer(Graph& graph, const TorchEncoderLayer& layer, const Config& config,
                                 TensorId x, TensorId key_mask, std::string_view output) {
  const auto& [attention, feed_forward, attend, feed] = layer;
  const TensorId from = attend.before(graph, x);
  const Attended attended = add_projected_attention(
      graph, attention.projections, {from, from, from}, config.dimension("num_heads"),
      {.dropout = {.share = config.number("dropout")}, .key_mask = key_mask}, "attended");
  const TensorId middle = attend.after(graph, x, attended.output, "middle");
  const TensorId fed = feed_forward.apply(graph, feed.before(graph, middle), "fed_forward");
  return {feed.after(graph, middle, fed, output), attended.weights};
}

std::vector<Field> torch_layer_fields(std::vector<Field> sizes) {
  const std::vector<Field> rest{
      fields::hidden_size(512),
      fields::num_heads(8),
      fields::intermediate_size(2048),
      activation_field("relu", {"relu", "gelu"}),
      boolean_field("norm_first", "Whether each part is normed before it, or its sum after it.",
                    false),
      fields::norm_eps(1e-5),
      fields::dropout(0.1),
      boolean_field("bias", "Whether the linear layers and the norms have a bias.", true),
      fields::dtype()};
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return sizes;
}

}  // namespace attnscope
