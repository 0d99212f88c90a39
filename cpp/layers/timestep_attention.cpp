// A score for each time step with a bias of its own: c = tanh(X W + b), W (K, 1), b (T, 1).
// Raffel and Ellis 2015, "Feed-Forward Networks with Attention Can Solve Some Long-Term Memory
// Problems", https://arxiv.org/abs/1512.08756, as Keras tutorials write it.

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/matmul.h"
#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const OpPtr& matmul = shared_op<Matmul, Matmul::Right::kPlain>();
  const OpPtr& add = shared_op<Add>();
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  constexpr double kDeviation = 0.05;  // of Keras's "normal" initializer
  const Dimension T = config.dimension("seq_len"), K = config.dimension("hidden_size");
  Graph graph;
  const int module = graph.add_module("", "");
  const TensorId weight = graph.add_parameter(module, "weight", {K, {1, Axis::kFeature}},
                                              {Init::Kind::kNormal, kDeviation});
  const TensorId x = graph.add_input("hidden_states", {config.dimension("batch_size"), T, K});
  TensorId scores = graph.add_step("project", "score", matmul, {x, weight}, "products");
  if (config.flag("bias")) {
    const TensorId bias = graph.add_parameter(module, "bias", {T, 1}, {Init::Kind::kZeros});
    scores = graph.add_step("add_bias", "score", add, {scores, bias}, "biased");
  }
  scores = graph.add_step("activate", "score", tanh, {scores}, "scores");
  add_pooling(graph, config, x, scores);
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
