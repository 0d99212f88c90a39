// The smallest attention: one nn.Linear(hidden_size, 1) scores each position.

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

LinearScores declare(Parameters& parameters, const Config& config) {
  return declare_linear_scores(parameters, config.dimension("hidden_size"), config.flag("bias"));
}

void forward(Graph& graph, const LinearScores& scores, const Config& config) {
  const TensorId hidden_states =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  add_pooling(graph, config, hidden_states, add_scores(graph, scores, hidden_states));
}

const Layer kLayer = {
    .name = "linear_scorer",
    .title = "Linear scorer",
    .group = "scorers",
    .place = 110,
    .summary = "One linear layer gives each position a score; softmax turns scores into weights.",
    .pytorch_class = "LinearScorer",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::bias(),
               fields::dtype(), scorer_output()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
