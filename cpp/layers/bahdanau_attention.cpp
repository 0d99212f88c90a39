// Additive attention: vᵀ tanh(W_q q + W_k k) for every query and key. Its cost is the (B, T, S, A)
// tensor inside.
// Bahdanau, Cho and Bengio 2015, https://arxiv.org/abs/1409.0473, section A.1.2.

#include "../ops/linear.h"
#include "../ops/pairs.h"
#include "additive.h"
#include "fields.h"

namespace attnscope {
namespace {

struct Modules {
  LinearModule query, key, score;
};

Modules declare(Parameters& parameters, const Config& config) {
  const FeaturesOfBoth features = features_of(config);
  const Dimension A = config.dimension("attn_dim");
  const bool bias = config.flag("bias");
  return {declare_linear(parameters, "query_proj", features.query, A, bias),
          declare_linear(parameters, "key_proj", features.key, A, bias),
          declare_tanh_score(parameters, A)};
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const OpPtr& pair_sum = shared_op<PairSum>();
  const QueryAndKey in = add_query_and_key(graph, config);
  const TensorId query = apply_linear(graph, modules.query, "project", in.query, "projected_query");
  const TensorId key = apply_linear(graph, modules.key, "project", in.key, "projected_key");
  const TensorId pairs = graph.add_step("pair_sum", "score", pair_sum, {query, key}, "pairs");
  add_key_combination(graph, add_tanh_score(graph, modules.score, pairs), in.key);
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
               // Keras code ends in Dense(1): https://www.interdb.jp/dl/part03/ch14/sec02.html
               boolean_field(
                   "bias",
                   "Whether the projections of queries and keys add a bias; the score has "
                   "none, because softmax cancels what it adds to every key: of Keras "
                   "weights leave out the bias of the last Dense(1).",
                   true),
               fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
