// A score for each time step with a bias of its own: c = tanh(X W + b), W (K, 1), b (T, 1).

#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

TimestepScores declare(Parameters& parameters, const Config& config) {
  const int own = parameters.add_module("", "");
  return declare_timestep_scores(parameters, own, config.dimension("seq_len"),
                                 config.dimension("hidden_size"),
                                 {.position = config.flag("bias")});
}

void forward(Graph& graph, const TimestepScores& scores, const Config& config) {
  const Dimension T = config.dimension("seq_len"), K = config.dimension("hidden_size");
  const TensorId x = graph.add_input("hidden_states", {config.dimension("batch_size"), T, K});
  add_pooling(graph, config, x, add_scores(graph, scores, x));
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
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
