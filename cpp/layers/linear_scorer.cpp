// The smallest attention: one nn.Linear(hidden_size, 1) scores each position.

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  Graph graph;
  const TensorId hidden_states =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("hidden_size")});
  const TensorId scores = add_linear_scores(graph, hidden_states, config.flag("bias"));
  add_pooling(graph, config, hidden_states, scores);
  return graph;
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
    .build = build,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
