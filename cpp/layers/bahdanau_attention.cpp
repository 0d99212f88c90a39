// Additive attention: vᵀ tanh(W_q q + W_k k) for every query and key. Its cost is the (B, T, S, A)
// tensor inside.
// Bahdanau, Cho and Bengio 2015, https://arxiv.org/abs/1409.0473, section A.1.2.

#include "../ops/linear.h"
#include "../ops/pairs.h"
#include "additive.h"
#include "fields.h"

namespace attnscope {
namespace {

Graph build(const Config& config) {
  const OpPtr& pair_sum = shared_op<PairSum>();
  const Dimension A = config.dimension("attn_dim");
  const bool bias = config.flag("bias");
  Graph graph;
  const QueryAndKey in = add_query_and_key(graph, config);
  const LinearModule query_proj = declare_linear(graph, "query_proj", in.query_features, A, bias);
  const LinearModule key_proj = declare_linear(graph, "key_proj", in.key_features, A, bias);
  const TensorId query = apply_linear(graph, query_proj, "project", in.query, "projected_query");
  const TensorId key = apply_linear(graph, key_proj, "project", in.key, "projected_key");
  const TensorId pairs = graph.add_step("pair_sum", "score", pair_sum, {query, key}, "pairs");
  add_key_combination(graph, add_tanh_score(graph, pairs, A), in.key);
  return graph;
}

const Layer kLayer = {
    .name = "bahdanau_attention",
    .title = "Additive attention (Bahdanau)",
    .group = "attention",
    .place = 310,
    .summary =
        "A tanh layer compares each query with each key; the keys are combined under the weights.",
    .pytorch_class = "BahdanauAttention",
    .fields = {fields::batch_size(4), fields::seq_len(), fields::kv_len(), fields::hidden_size(),
               fields::kdim(), fields::attn_dim(),
               boolean_field("bias", "Whether the projections of queries and keys add a bias.",
                             true),
               fields::dtype()},
    .build = build,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
