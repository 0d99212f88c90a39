// Causal self-attention, attention to an encoder's output and a feed-forward network, as
// nn.TransformerDecoderLayer. Vaswani et al. 2017, section 3.1.

#include "fields.h"
#include "torch_transformer.h"

namespace attnscope {
namespace {

void check(const Config& config) { check_heads_divide(config, "hidden_size"); }

struct Modules {
  PackedProjections self_attention, cross_attention;
  FeedForward feed_forward;
  TorchSublayer attend, cross, feed;
};

Modules declare(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  const bool bias = config.flag("bias");
  const double share = config.number("dropout"), eps = config.number("norm_eps");
  parameters.inherit("nn.TransformerDecoderLayer", torch_layer_arguments(config));
  const PackedProjections self_attention =
      declare_packed_multihead(parameters, "self_attn", {E, E, E, bias});
  const PackedProjections cross_attention = declare_packed_multihead(
      parameters, "multihead_attn",
      {.hidden_size = E, .kdim = E, .vdim = E, .bias = bias, .prefix = "cross_"});
  const FeedForward feed_forward = declare_torch_feed_forward(parameters, config);
  const NormModule norm1 = declare_layer_norm(parameters, "norm1", E, eps, bias, false);
  const NormModule norm2 = declare_layer_norm(parameters, "norm2", E, eps, bias, false);
  const NormModule norm3 = declare_layer_norm(parameters, "norm3", E, eps, bias, false);
  const DropoutModule dropout1 = declare_dropout(parameters, "dropout1", share, false);
  const DropoutModule dropout2 = declare_dropout(parameters, "dropout2", share, false);
  const DropoutModule dropout3 = declare_dropout(parameters, "dropout3", share, false);
  return {self_attention,
          cross_attention,
          feed_forward,
          TorchSublayer(config, norm1, dropout1, "attention"),
          TorchSublayer(config, norm2, dropout2, "cross"),
          TorchSublayer(config, norm3, dropout3, "feed_forward")};
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const auto& [self_attention, cross_attention, feed_forward, attend, cross, feed] = modules;
  const Dimension B = config.dimension("batch_size"), E = config.dimension("hidden_size");
  const Dimension H = config.dimension("num_heads");
  const TensorId x = graph.add_input("hidden_states", {B, config.dimension("seq_len"), E});
  const TensorId memory = graph.add_input("memory", {B, kv_len_of(config), E});
  const DropoutModule weights_dropout{.share = config.number("dropout")};
  const TensorId from = attend.before(graph, x);
  const Attended attended = add_projected_attention(
      graph, self_attention.projections, {from, from, from}, H,
      {.band = {.is_causal = config.flag("is_causal")}, .dropout = weights_dropout}, "attended");
  const TensorId middle = attend.after(graph, x, attended.output, "middle");
  const TensorId query = cross.before(graph, middle);
  const Attended crossed = add_projected_attention(
      graph, cross_attention.projections, {query, memory, memory}, H,
      {.dropout = weights_dropout, .mask = "memory_mask", .prefix = "cross_"}, "crossed");
  const TensorId joined = cross.after(graph, middle, crossed.output, "joined");
  const TensorId fed = feed_forward.apply(graph, feed.before(graph, joined), "fed_forward");
  graph.add_result("output", feed.after(graph, joined, fed, "output"));
  graph.add_result("weights", attended.weights, {.weights = true});
  graph.add_result("cross_weights", crossed.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "transformer_decoder_layer",
    .title = "Transformer decoder layer",
    .group = "transformer",
    .place = 430,
    .summary =
        "Causal self-attention, attention to an encoder's output, and a feed-forward network.",
    .pytorch_class = "TransformerDecoderLayer",
    .fields = torch_layer_fields(
        {fields::batch_size(), fields::seq_len(), fields::kv_len(), fields::is_causal(true)}),
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
