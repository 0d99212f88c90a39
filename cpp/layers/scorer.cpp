#include "scorer.h"

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/each_sequence.h"
#include "../ops/linear.h"
#include "../ops/matmul.h"
#include "../ops/softmax.h"
#include "../ops/squeeze.h"
#include "../ops/weighted_sum.h"

namespace attnscope {

TensorId add_linear_scores(Graph& graph, TensorId x, bool bias) {
  const Dimension E = graph.tensor(x).shape.back();
  return apply_linear(graph, declare_linear(graph, "score", E, 1, bias), "score", x, "scores");
}

TensorId add_additive_scores(Graph& graph, TensorId x, Dimension attn_dim, bool bias) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const Dimension E = graph.tensor(x).shape.back();
  const LinearModule project = declare_linear(graph, "project", E, attn_dim, bias);
  const LinearModule score = declare_linear(graph, "score", attn_dim, 1, bias);
  const TensorId projected = apply_linear(graph, project, "project", x, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  return apply_linear(graph, score, "score", activated, "scores");
}

TensorId add_gated_scores(Graph& graph, TensorId x, Dimension attn_dim, bool bias) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& sigmoid = shared_op<Activation, Activation::Kind::kSigmoid>();
  const OpPtr& multiply = shared_op<Multiply>();
  const Dimension E = graph.tensor(x).shape.back();
  const LinearModule v = declare_linear(graph, "attention_v", E, attn_dim, bias);
  const LinearModule u = declare_linear(graph, "attention_u", E, attn_dim, bias);
  const LinearModule w = declare_linear(graph, "attention_w", attn_dim, 1, bias);
  const TensorId projected = apply_linear(graph, v, "project", x, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  const TensorId opened = apply_linear(graph, u, "project", x, "opened");
  const TensorId gate = graph.add_step("open", "project", sigmoid, {opened}, "gate");
  const TensorId gated = graph.add_step("gate", "project", multiply, {activated, gate}, "gated");
  return apply_linear(graph, w, "score", gated, "scores");
}

TimestepScores::TimestepScores(Graph& graph, int module, Dimension positions, Dimension features,
                               const Options& options)
    : activation_(options.activation) {
  constexpr double kDeviation = 0.05;  // of Keras's "normal" initializer
  const auto declare = [&](const char* name, const Shape& shape, Init init) {
    return graph.add_parameter(module, format("{}{}", {options.prefix, name}), shape, init);
  };
  if (options.content) {
    weight_ = declare("weight", {features, {1, Axis::kFeature}}, {Init::Kind::kNormal, kDeviation});
  }
  if (options.position) bias_ = declare("bias", {positions, 1}, {Init::Kind::kZeros});
  if (activation_ == TimestepActivation::kScaledTanh) {
    factor_ = declare("factor", {1}, {Init::Kind::kOnes});
  }
}

TensorId TimestepScores::add(Graph& graph, TensorId x) const {
  const OpPtr& matmul = shared_op<Matmul, Matmul::Right::kPlain>();
  const OpPtr& plus = shared_op<Add>();
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& multiply = shared_op<Multiply>();
  const OpPtr& each_sequence = shared_op<EachSequence>();
  const bool active = activation_ != TimestepActivation::kNone, scaled = factor_ != kNoTensor;
  const auto called = [&](bool last, std::string_view name) { return last ? "scores" : name; };
  TensorId scores = kNoTensor;
  if (weight_ != kNoTensor) {
    scores = graph.add_step("project", "score", matmul, {x, weight_},
                            called(bias_ == kNoTensor && !active, "products"));
  }
  if (bias_ != kNoTensor && weight_ != kNoTensor) {
    scores = graph.add_step("add_bias", "score", plus, {scores, bias_}, called(!active, "biased"));
  } else if (bias_ != kNoTensor) {
    scores = graph.add_step("spread", "score", each_sequence, {bias_, x},
                            called(!active, "spread_bias"));
  }
  if (active) {
    scores = graph.add_step("activate", "score", tanh, {scores}, called(!scaled, "activated"));
  }
  if (!scaled) return scores;
  return graph.add_step("stretch", "score", multiply, {scores, factor_}, "scores");
}

Field scorer_output(bool weighted) {
  if (weighted) {
    return choice_field(
        "output",
        "What the layer returns: scores before softmax, weights after it, the hidden "
        "states times their weights, or those pooled: summed over the sequence.",
        {"scores", "weights", "weighted", "pooled"}, "pooled");
  }
  return choice_field(
      "output",
      "What the layer returns: scores before softmax, weights after it, or the hidden "
      "states pooled under the weights.",
      {"scores", "weights", "pooled"}, "pooled");
}

TensorId add_weights_of(Graph& graph, TensorId scores, TensorId mask) {
  const OpPtr& squeeze = shared_op<Squeeze>();
  const OpPtr& softmax = shared_op<Softmax>();
  const TensorId row = graph.add_step("squeeze", "normalize", squeeze, {scores}, "score_row");
  return graph.add_step("normalize", "normalize", softmax, {row, mask}, "weights");
}

void add_pooling(Graph& graph, const Config& config, TensorId hidden_states, TensorId scores) {
  const OpPtr& weighted_sum = shared_op<WeightedSum>();
  const OpPtr& weigh = shared_op<Weigh>();

  const std::string_view output = config.choice("output");
  if (output == "scores") {
    graph.add_result("output", scores);
    return;
  }
  const Shape& shape = graph.tensor(scores).shape;
  const TensorId mask = graph.add_input("mask", {shape[0], shape[1]}, Role::kOptionalInput);
  const TensorId weights = add_weights_of(graph, scores, mask);
  if (output == "weights") {
    graph.add_result("output", weights);
    return;
  }
  const OpPtr& combine = output == "weighted" ? weigh : weighted_sum;
  graph.add_result(
      "output", graph.add_step("combine", "combine", combine, {weights, hidden_states}, "output"));
  graph.add_result("weights", weights, {.weights = true});
}

}  // namespace attnscope
