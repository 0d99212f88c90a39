// Additive attention without a query: vᵀ tanh(W h + b) scores each position.

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

AdditiveScores declare(Parameters& parameters, const Config& config) {
  return declare_additive_scores(parameters, config.dimension("hidden_size"),
                                 config.dimension("attn_dim"), config.flag("bias"));
}

void forward(Graph& graph, const AdditiveScores& scores, const Config& config) {
  const TensorId hidden_states =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  add_pooling(graph, config, hidden_states, add_scores(graph, scores, hidden_states));
}

const Layer kLayer = {
    .name = "additive_scorer",
    .title = "Additive scorer",
    .group = "scorers",
    .place = 120,
    .summary = "A tanh layer of width attn_dim stands between the hidden state and its score.",
    .pytorch_class = "AdditiveScorer",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::attn_dim(),
               fields::bias(), fields::dtype(), scorer_output()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
