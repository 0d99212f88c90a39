// Self-attention and a feed-forward network, each with residual connection and layer norm, as
// nn.TransformerEncoderLayer. Vaswani et al. 2017, section 3.1.

#include "fields.h"
#include "torch_transformer.h"

namespace attnscope {
namespace {

void check(const Config& config) { check_heads_divide(config, "hidden_size"); }

void forward(Graph& graph, const TorchEncoderLayer& layer, const Config& config) {
  const TensorId x =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  const Attended attended = add_torch_encoder_layer(graph, layer, config, x, kNoTensor, "output");
  graph.add_result("output", attended.output);
  graph.add_result("weights", attended.weights, {.weights = true});
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
    .forward_graph = forward_graph<declare_torch_encoder_layer, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
