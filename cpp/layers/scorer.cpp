#include "scorer.h"

#include "../ops/softmax.h"
#include "../ops/squeeze.h"
#include "../ops/weighted_sum.h"

namespace attnscope {

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

void add_pooling(Graph& graph, const Config& config, TensorId hidden_states, TensorId scores) {
  const OpPtr& squeeze = shared_op<Squeeze>();
  const OpPtr& softmax = shared_op<Softmax>();
  const OpPtr& weighted_sum = shared_op<WeightedSum>();
  const OpPtr& weigh = shared_op<Weigh>();

  const std::string_view output = config.choice("output");
  if (output == "scores") {
    graph.add_result("output", scores);
    return;
  }
  const TensorId row = graph.add_step("squeeze", "normalize", squeeze, {scores}, "score_row");
  const TensorId mask = graph.add_input("mask", graph.tensor(row).shape, Role::kOptionalInput);
  const TensorId weights =
      graph.add_step("normalize", "normalize", softmax, {row, mask}, "weights");
  if (output == "weights") {
    graph.add_result("output", weights);
    return;
  }
  const OpPtr& combine = output == "weighted" ? weigh : weighted_sum;
  graph.add_result(
      "output", graph.add_step("combine", "combine", combine, {weights, hidden_states}, "output"));
  graph.add_weights("weights", weights);
}

}  // namespace attnscope
