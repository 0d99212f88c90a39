// Self-attention and a feed-forward network, each with residual connection and layer norm, as
// nn.TransformerEncoderLayer. Vaswani et al. 2017, section 3.1.

#include "fields.h"
#include "torch_transformer.h"

namespace attnscope {
namespace {

void check(const Config& config) { check_heads_divide(config, "hidden_size"); }

Graph build(const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  const bool bias = config.flag("bias");
  const double share = config.number("dropout"), eps = config.number("norm_eps");
  Graph graph;
  graph.inherit("nn.TransformerEncoderLayer", torch_layer_arguments(config));
  const PackedProjections attention =
      declare_packed_multihead(graph, "self_attn", {E, E, E, bias, false});
  const FeedForward feed_forward = declare_torch_feed_forward(graph, config);
  const NormModule norm1 = declare_layer_norm(graph, "norm1", E, eps, bias, false);
  const NormModule norm2 = declare_layer_norm(graph, "norm2", E, eps, bias, false);
  const TorchSublayer attend(config, norm1, declare_dropout(graph, "dropout1", share, false),
                             "attention");
  const TorchSublayer feed(config, norm2, declare_dropout(graph, "dropout2", share, false),
                           "feed_forward");

  const TensorId x = graph.add_input(
      "hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"), E});
  const TensorId from = attend.before(graph, x);
  const Attended attended = add_projected_attention(
      graph, attention.projections, {from, from, from}, config.dimension("num_heads"),
      {.dropout = {.share = share}}, "attended");
  const TensorId middle = attend.after(graph, x, attended.output, "middle");
  const TensorId fed = feed_forward.apply(graph, feed.before(graph, middle), "fed_forward");
  graph.add_result("output", feed.after(graph, middle, fed, "output"));
  graph.add_weights("weights", attended.weights);
  return graph;
}

const Layer kLayer = {
    .name = "transformer_encoder_layer",
    .title = "Transformer encoder layer",
    .group = "transformer",
    .place = 420,
    .summary =
        "Multi-head self-attention and a feed-forward network, each with residual connection and "
        "norm.",
    .pytorch_class = "TransformerEncoderLayer",
    .fields = torch_layer_fields({fields::batch_size(), fields::seq_len()}),
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
