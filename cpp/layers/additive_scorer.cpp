// Additive attention without a query: vᵀ tanh(W h + b) scores each position.
// Bahdanau, Cho and Bengio 2015, https://arxiv.org/abs/1409.0473, in the query-free form of
// Yang et al. 2016, "Hierarchical Attention Networks for Document Classification".

#include "../ops/activation.h"
#include "../ops/linear.h"
#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const Dimension E = config.dimension("hidden_size"), A = config.dimension("attn_dim");
  const bool bias = config.flag("bias");
  Graph graph;
  const LinearModule project = declare_linear(graph, "project", E, A, bias);
  const LinearModule score = declare_linear(graph, "score", A, 1, bias);
  const TensorId hidden_states = graph.add_input(
      "hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"), E});
  const TensorId projected = apply_linear(graph, project, "project", hidden_states, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  const TensorId scores = apply_linear(graph, score, "score", activated, "scores");
  add_pooling(graph, config, hidden_states, scores);
  return graph;
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
    .build = build,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
