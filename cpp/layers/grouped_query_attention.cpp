// Self-attention as decoders of today have it: shared heads of keys and values, rotary positions, a
// KV cache. num_kv_heads 1 is multi-query attention, Shazeer 2019,
// https://arxiv.org/abs/1911.02150.

#include "fields.h"
#include "grouped.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_groups(config.dimension("num_heads"), config.dimension("num_kv_heads"));
  check_rotation(config, "head_dim", head_dim_of(config));
}

struct Modules {
  GroupedAttention attention;
  std::optional<EmbeddingModule> relative_bias;
};

Modules declare(Parameters& parameters, const Config& config) {
  const Dimension H = config.dimension("num_heads");
  const GroupedShape shape{
      config.dimension("hidden_size"),
      H,
      config.dimension("num_kv_heads"),
      int64_t{head_dim_of(config)},
      config.flag("bias"),
      config.flag("output_bias"),
      config.flag("qk_norm") ? std::optional(config.number("norm_eps")) : std::nullopt};
  return {GroupedAttention(parameters, "", shape), declare_relative_bias(parameters, config, H)};
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), H = config.dimension("num_heads");
  const int64_t D = head_dim_of(config);
  const Span span = span_of(config, config.optional_integer("window"));
  const TensorId x =
      graph.add_input("hidden_states", {config.dimension("batch_size"), span.seq_len, E});
  const PositionSteps steps(graph, config, H, D, x, config.flag("is_causal"),
                            modules.relative_bias);
  const Positions positions = steps.add(span, config.number("rope_theta"));
  const Scores scores{.is_causal = config.flag("is_causal"),
                      .scale = config.optional_number("scale")};
  const Attended attended = modules.attention.apply(graph, x, positions, span, scores, "output");
  graph.add_result("output", attended.output);
  graph.add_result("weights", attended.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "grouped_query_attention",
    .title = "Grouped-query attention",
    .group = "attention",
    .place = 370,
    .summary =
        "Several query heads share each head of keys and values, which keeps the KV cache small.",
    .pytorch_class = "GroupedQueryAttention",
    .fields = {fields::batch_size(1), fields::seq_len(), fields::past_len(), fields::hidden_size(),
               fields::num_heads(), fields::num_kv_heads(), fields::free_head_dim(),
               boolean_field("bias", "Whether queries, keys and values get a bias.", false),
               boolean_field("output_bias", "Whether the output projection adds a bias.", false),
               boolean_field("qk_norm", "Whether queries and keys are normed in each head (RMS).",
                             false),
               fields::norm_eps(1e-6),
               position_field(
                   "How positions are told apart: rotary embedding (rope), or biases on the "
                   "scores: ALiBi, T5's relative. Rope turns feature i of a head with i + head_dim "
                   "/ 2: weights for neighbouring pairs (GPT-J, Meta's Llama files) take the even "
                   "rows of each head of q_proj and k_proj before the odd ones, as permute() in "
                   "transformers' convert_llama_weights_to_hf.py.",
                   {"none", "rope", "alibi", "relative"}, "rope"),
               fields::rope_theta(), fields::window(), fields::is_causal(true), fields::scale(),
               fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
