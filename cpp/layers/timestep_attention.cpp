// A score for each time step with a bias of its own: c = tanh(X W + b), W (K, 1), b (T, 1).

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const Dimension T = config.dimension("seq_len"), K = config.dimension("hidden_size");
  Graph graph;
  const TimestepScores timesteps(graph, graph.add_module("", ""), T, K,
                                 {.position = config.flag("bias")});
  const TensorId x = graph.add_input("hidden_states", {config.dimension("batch_size"), T, K});
  add_pooling(graph, config, x, timesteps.add(graph, x));
  return graph;
}

const Layer kLayer = {
    .name = "timestep_attention",
    .title = "Time-step attention",
    .group = "scorers",
    .place = 130,
    .summary = "One weight vector scores the time steps, each of which has a bias of its own.",
    .pytorch_class = "TimestepAttention",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::bias(),
               fields::dtype(), scorer_output(true)},
    .build = build,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
