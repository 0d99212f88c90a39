#include "additive.h"

#include "../ops/activation.h"
#include "../ops/linear.h"
#include "../ops/matmul.h"
#include "../ops/softmax.h"
#include "../ops/squeeze.h"
#include "attention.h"

namespace attnscope {

QueryAndKey add_query_and_key(Graph& graph, const Config& config) {
  const Dimension B = config.dimension("batch_size"), E = config.dimension("hidden_size");
  const Dimension K = config.dimension("kdim", E);
  const TensorId query = graph.add_input("query", {B, as_query(config.dimension("seq_len")), E});
  const TensorId key = graph.add_input("key", {B, kv_len_of(config), K});
  return {query, key, E, K};
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

TensorId add_tanh_score(Graph& graph, TensorId features, Dimension attn_dim) {
  const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
  const OpPtr& squeeze = shared_op<Squeeze>();
  const LinearModule score = declare_linear(graph, "score", attn_dim, 1, false);
  const TensorId activated = graph.add_step("activate", "score", tanh, {features}, "activated");
  const TensorId column = apply_linear(graph, score, "score", activated, "score_column");
  return graph.add_step("squeeze", "score", squeeze, {column}, "scores");
}

}  // namespace attnscope
