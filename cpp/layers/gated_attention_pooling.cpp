// Gated attention pooling: wᵀ (tanh(V h) ⊙ sigmoid(U h)) scores each position.

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

GatedScores declare(Parameters& parameters, const Config& config) {
  return declare_gated_scores(parameters, config.dimension("hidden_size"),
                              config.dimension("attn_dim"), config.flag("bias"));
}

void forward(Graph& graph, const GatedScores& scores, const Config& config) {
  const TensorId hidden_states =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  add_pooling(graph, config, hidden_states, add_scores(graph, scores, hidden_states));
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
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
