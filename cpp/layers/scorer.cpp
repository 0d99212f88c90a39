#include "scorer.h"

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/each_sequence.h"
#include "../ops/matmul.h"
#include "../ops/softmax.h"
#include "../ops/squeeze.h"
#include "../ops/weighted_sum.h"

namespace attnscope {

LinearScores declare_linear_scores(Parameters& parameters, Dimension features, bool bias) {
  return {declare_linear(parameters, "score", features, 1, bias)};
}

TensorId add_scores(Graph& graph, const LinearScores& scores, TensorId x) {
  return apply_linear(graph, scores.score, "score", x, "scores");
}

AdditiveScores declare_additive_scores(Parameters& parameters, Dimension features,
                                       Dimension attn_dim, bool bias) {
  return {declare_linear(parameters, "project", features, attn_dim, bias),
          declare_linear(parameters, "score", attn_dim, 1, bias)};
}

TensorId add_scores(Graph& graph, const AdditiveScores& scores, TensorId x) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const TensorId projected = apply_linear(graph, scores.project, "project", x, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  return apply_linear(graph, scores.score, "score", activated, "scores");
}

GatedScores declare_gated_scores(Parameters& parameters, Dimension features, Dimension attn_dim,
                                 bool bias) {
  return {declare_linear(parameters, "attention_v", features, attn_dim, bias),
          declare_linear(parameters, "attention_u", features, attn_dim, bias),
          declare_linear(parameters, "attention_w", attn_dim, 1, bias)};
}

TensorId add_scores(Graph& graph, const GatedScores& scores, TensorId x) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& sigmoid = shared_op<Activation, Activation::Kind::kSigmoid>();
  const OpPtr& multiply = shared_op<Multiply>();
  const TensorId projected = apply_linear(graph, scores.v, "project", x, "projected");
  const TensorId activated = graph.add_step("activate", "project", tanh, {projected}, "activated");
  const TensorId opened = apply_linear(graph, scores.u, "project", x, "opened");
  const TensorId gate = graph.add_step("open", "project", sigmoid, {opened}, "gate");
  const TensorId gated = graph.add_step("gate", "project", multiply, {activated, gate}, "gated");
  return apply_linear(graph, scores.w, "score", gated, "scores");
}

TimestepScores declare_timestep_scores(Parameters& parameters, int module, Dimension positions,
                                       Dimension features, const TimestepScores::Options& options) {
  constexpr double kDeviation = 0.05;  // of Keras's "normal" initializer
  const auto declare = [&](const char* name, const Shape& shape, const Init& init) -> Weight {
    return {parameters.add(module, format("{}{}", {options.prefix, name}), shape, init)};
  };
  TimestepScores scores{.activation = options.activation};
  if (options.content) {
    const Init normal{Init::Kind::kNormal, kDeviation};
    scores.weight = declare("weight", {features, {1, Axis::kFeature}}, normal);
  }
  if (options.position) scores.bias = declare("bias", {positions, 1}, {Init::Kind::kZeros});
  if (options.activation == TimestepActivation::kScaledTanh) {
    scores.factor = declare("factor", {1}, {Init::Kind::kOnes});
  }
  return scores;
}

TensorId add_scores(Graph& graph, const TimestepScores& of, TensorId x) {
  const OpPtr& matmul = shared_op<Matmul, Matmul::Right::kPlain>();
  const OpPtr& plus = shared_op<Add>();
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& multiply = shared_op<Multiply>();
  const OpPtr& each_sequence = shared_op<EachSequence>();
  const bool active = of.activation != TimestepActivation::kNone, scaled = of.factor.exists();
  const auto called = [&](bool last, std::string_view name) { return last ? "scores" : name; };
  TensorId scores = kNoTensor;
  if (of.weight.exists()) {
    scores = graph.add_step("project", "score", matmul, {x, graph.use(of.weight)},
                            called(!of.bias.exists() && !active, "products"));
  }
  if (of.bias.exists() && of.weight.exists()) {
    scores = graph.add_step("add_bias", "score", plus, {scores, graph.use(of.bias)},
                            called(!active, "biased"));
  } else if (of.bias.exists()) {
    scores = graph.add_step("spread", "score", each_sequence, {graph.use(of.bias), x},
                            called(!active, "spread_bias"));
  }
  if (active) {
    scores = graph.add_step("activate", "score", tanh, {scores}, called(!scaled, "activated"));
  }
  if (!scaled) return scores;
  return graph.add_step("stretch", "score", multiply, {scores, graph.use(of.factor)}, "scores");
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
