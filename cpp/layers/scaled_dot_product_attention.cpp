// Attention without parameters: queries, keys and values come from outside.

#include "attention.h"
#include "fields.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const int64_t B = config.integer("batch_size"), H = config.integer("num_heads");
  const int64_t T = config.integer("seq_len"), S = config.integer("kv_len");
  const int64_t D = config.integer("head_dim");
  Graph graph;
  const TensorId query = graph.add_input("query", {B, H, T, D});
  const TensorId key = graph.add_input("key", {B, H, S, D});
  const TensorId value = graph.add_input("value", {B, H, S, D});
  const Attended attended = add_attention(graph, query, key, value, "output");
  graph.add_result("output", attended.output);
  graph.add_result("weights", attended.weights);
  return graph;
}

}  // namespace

extern const Layer kScaledDotProductAttention;
const Layer kScaledDotProductAttention = {
    .name = "scaled_dot_product_attention",
    .title = "Scaled dot-product attention",
    .group = "attention",
    .summary = "Each query weighs the values by its dot products with the keys.",
    .pytorch_class = "ScaledDotProductAttention",
    .fields = {fields::batch_size(), fields::num_heads(), fields::seq_len(), fields::kv_len(),
               fields::head_dim(), fields::dtype()},
    .build = build,
};

}  // namespace attnscope
