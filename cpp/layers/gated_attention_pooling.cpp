// Gated attention pooling: wᵀ (tanh(V h) ⊙ sigmoid(U h)) scores each position.

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  Graph graph;
  const TensorId hidden_states =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  const TensorId scores =
      add_gated_scores(graph, hidden_states, config.dimension("attn_dim"), config.flag("bias"));
  add_pooling(graph, config, hidden_states, scores);
  return graph;
}

const Layer kLayer = {
    .name = "gated_attention_pooling",
    .title = "Gated attention pooling",
    .group = "scorers",
    .place = 125,
    .summary =
        "The additive scorer with a sigmoid gate on its tanh layer: attention-based "
        "multiple-instance learning.",
    .pytorch_class = "GatedAttentionPooling",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::attn_dim(),
               fields::bias(), fields::dtype(), scorer_output()},
    .build = build,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
