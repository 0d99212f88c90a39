// Multi-head self-attention with four projections.
// Vaswani et al. 2017, "Attention Is All You Need", https://arxiv.org/abs/1706.03762,
// section 3.2.2.

#include "../ops/heads.h"
#include "../ops/linear.h"
#include "attention.h"
#include "fields.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  const int64_t E = config.integer("hidden_size"), H = config.integer("num_heads");
  if (E % H == 0) return;
  throw FieldError("num_heads", "num_heads must divide hidden_size (" + std::to_string(E) +
                                    "), got " + std::to_string(H));
}

Graph build(const Config& config) {
  static const auto merge = std::make_shared<const MergeHeads>();
  const int64_t E = config.integer("hidden_size"), H = config.integer("num_heads");
  const auto split = std::make_shared<const SplitHeads>(H);
  const bool bias = config.flag("bias");
  Graph graph;
  const LinearModule query_proj = declare_linear(graph, "query_proj", E, E, bias);
  const LinearModule key_proj = declare_linear(graph, "key_proj", E, E, bias);
  const LinearModule value_proj = declare_linear(graph, "value_proj", E, E, bias);
  const LinearModule output_proj = declare_linear(graph, "output_proj", E, E, bias);

  const TensorId x = graph.add_input("hidden_states",
                                     {config.integer("batch_size"), config.integer("seq_len"), E});
  const auto heads = [&](const LinearModule& proj, const std::string& name) {
    const TensorId features = apply_linear(graph, proj, "project", x, name);
    return graph.add_step("split_" + name, "project", split, {features}, name + "_heads");
  };
  const TensorId query = heads(query_proj, "query");
  const TensorId key = heads(key_proj, "key");
  const TensorId value = heads(value_proj, "value");
  const Attended attended = add_attention(graph, query, key, value, "context");
  const TensorId merged = graph.add_step("merge", "combine", merge, {attended.output}, "merged");
  graph.add_result("output", apply_linear(graph, output_proj, "combine", merged, "output"));
  graph.add_result("weights", attended.weights);
  return graph;
}

}  // namespace

extern const Layer kMultiheadAttention;
const Layer kMultiheadAttention = {
    .name = "multihead_attention",
    .title = "Multi-head attention",
    .group = "attention",
    .summary =
        "Several heads attend side by side, each in its own projection of the hidden states.",
    .pytorch_class = "MultiheadAttention",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::num_heads(),
               fields::bias(), fields::dtype()},
    .build = build,
    .check = check,
};

}  // namespace attnscope
