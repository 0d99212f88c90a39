// Multiplicative attention: q·k, q·W k, or vᵀ tanh(W [q; k]).
// Luong, Pham and Manning 2015, https://arxiv.org/abs/1508.04025, section 3.1.

#include "../ops/linear.h"
#include "../ops/matmul.h"
#include "../ops/pairs.h"
#include "additive.h"
#include "fields.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  const Dimension E = config.dimension("hidden_size"), K = config.dimension("kdim", E);
  if (config.choice("score") != "dot" || K == E) return;
  refuse("kdim", "kdim must be hidden_size ({}) where score is dot, got {}", {E, K});
}

/// What the field `score` asks for: of key_proj and of project and score there is none elsewhere.
struct Modules {
  LinearModule key{}, project{}, score{};
};

Modules declare(Parameters& parameters, const Config& config) {
  const std::string_view score = config.choice("score");
  const FeaturesOfBoth features = features_of(config);
  Modules modules;
  if (score == "general") {
    modules.key = declare_linear(parameters, "key_proj", features.key, features.query, false);
  }
  if (score == "concat") {
    const Dimension A = config.dimension("attn_dim");
    modules.project =
        declare_linear(parameters, "project", features.query + features.key, A, false);
    modules.score = declare_tanh_score(parameters, A);
  }
  return modules;
}

TensorId add_scores(Graph& graph, const Modules& modules, const Config& config,
                    const QueryAndKey& in) {
  const OpPtr& dot = shared_op<Matmul, Matmul::Right::kTransposed>();
  const OpPtr& pair_concat = shared_op<PairConcat>();
  const std::string_view score = config.choice("score");
  if (score == "concat") {
    const TensorId pairs =
        graph.add_step("pair_concat", "score", pair_concat, {in.query, in.key}, "pairs");
    const TensorId projected = apply_linear(graph, modules.project, "score", pairs, "projected");
    return add_tanh_score(graph, modules.score, projected);
  }
  TensorId key = in.key;
  if (score == "general") {
    key = apply_linear(graph, modules.key, "project", key, "projected_key");
  }
  return graph.add_step("dot", "score", dot, {in.query, key}, "scores");
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const QueryAndKey in = add_query_and_key(graph, config);
  add_key_combination(graph, add_scores(graph, modules, config, in), in.key);
}

const Layer kLayer = {
    .name = "luong_attention",
    .title = "Multiplicative attention (Luong)",
    .group = "attention",
    .place = 320,
    .summary =
        "Dot products, with or without a weight matrix between, compare each query with each key.",
    .pytorch_class = "LuongAttention",
    .fields = {choice_field("score", "How a query is compared with a key.",
                            {"dot", "general", "concat"}, "general"),
               fields::batch_size(4), fields::seq_len(), fields::kv_len(), fields::hidden_size(),
               fields::kdim(),
               fields::dimension(
                   "attn_dim", "With score concat: width of the tanh layer before the score.", 128),
               fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
