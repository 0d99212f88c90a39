#include "additive.h"

#include "../ops/activation.h"
#include "../ops/matmul.h"
#include "../ops/softmax.h"
#include "../ops/squeeze.h"
#include "attention.h"

namespace attnscope {

FeaturesOfBoth features_of(const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  return {E, config.dimension("kdim", E)};
}

QueryAndKey add_query_and_key(Graph& graph, const Config& config) {
  const Dimension B = config.dimension("batch_size"), T = config.dimension("seq_len");
  const FeaturesOfBoth features = features_of(config);
  const TensorId query = graph.add_input("query", {B, as_query(T), features.query});
  const TensorId key = graph.add_input("key", {B, kv_len_of(config), features.key});
  return {query, key};
}

void add_key_combination(Graph& graph, TensorId scores, TensorId key) {
  const OpPtr& softmax = shared_op<Softmax>();
  const OpPtr& weigh = shared_op<Matmul, Matmul::Right::kPlain>();
  const TensorId mask = graph.add_input("mask", graph.tensor(scores).shape, Role::kOptionalInput);
  const TensorId weights =
      graph.add_step("normalize", "normalize", softmax, {scores, mask}, "weights");
  graph.add_result("output", graph.add_step("combine", "combine", weigh, {weights, key}, "output"));
  graph.add_result("weights", weights, {.weights = true});
}

LinearModule declare_tanh_score(Parameters& parameters, Dimension attn_dim) {
  return declare_linear(parameters, "score", attn_dim, 1, false);
}

TensorId add_tanh_score(Graph& graph, const LinearModule& score, TensorId features) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& squeeze = shared_op<Squeeze>();
  const TensorId activated = graph.add_step("activate", "score", tanh, {features}, "activated");
  const TensorId column = apply_linear(graph, score, "score", activated, "score_column");
  return graph.add_step("squeeze", "score", squeeze, {column}, "scores");
}

}  // namespace attnscope
