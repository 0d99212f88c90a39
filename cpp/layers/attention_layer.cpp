// One head between four linear layers.

#include "fields.h"
#include "projections.h"

namespace attnscope {
namespace {

Projections declare(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  return declare_projections(parameters, "", E, E, E, config.flag("bias"));
}

void forward(Graph& graph, const Projections& projections, const Config& config) {
  const Dimension B = config.dimension("batch_size"), E = config.dimension("hidden_size");
  const Dimension S = kv_len_of(config);
  const TensorId query = graph.add_input("query", {B, as_query(config.dimension("seq_len")), E});
  const TensorId key = graph.add_input("key", {B, S, E});
  const TensorId value = graph.add_input("value", {B, S, E});
  const Attended attended =
      add_projected_attention(graph, projections, {query, key, value}, 0, {}, "output");
  graph.add_result("output", attended.output);
  graph.add_result("weights", attended.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "attention_layer",
    .title = "Attention layer",
    .group = "attention",
    .place = 340,
    .summary =
        "One head: queries, keys and values are projected, and the combined values once more.",
    .pytorch_class = "AttentionLayer",
    .fields = {fields::batch_size(), fields::seq_len(), fields::kv_len(), fields::hidden_size(),
               fields::bias(), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
