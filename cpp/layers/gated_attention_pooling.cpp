// Gated attention pooling: wᵀ (tanh(V h) ⊙ sigmoid(U h)) scores each position.
// Ilse, Tomczak and Welling 2018, "Attention-based Deep Multiple Instance Learning",
// https://arxiv.org/abs/1802.04712, equation 9, where the positions are the instances of a bag.

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/linear.h"
#include "fields.h"
#include "scorer.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& sigmoid = shared_op<Activation, Activation::Kind::kSigmoid>();
  const OpPtr& multiply = shared_op<Multiply>();
  const Dimension E = config.dimension("hidden_size"), A = config.dimension("attn_dim");
  const bool bias = config.flag("bias");
  Graph graph;
  const LinearModule v = declare_linear(graph, "attention_v", E, A, bias);
  const LinearModule u = declare_linear(graph, "attention_u", E, A, bias);
  const LinearModule w = declare_linear(graph, "attention_w", A, 1, bias);
  const TensorId hidden_states = graph.add_input(
      "hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"), E});
  const TensorId projected = apply_linear(graph, v, "project", hidden_states, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  const TensorId opened = apply_linear(graph, u, "project", hidden_states, "opened");
  const TensorId gate = graph.add_step("open", "project", sigmoid, {opened}, "gate");
  const TensorId gated = graph.add_step("gate", "project", multiply, {activated, gate}, "gated");
  const TensorId scores = apply_linear(graph, w, "score", gated, "scores");
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
