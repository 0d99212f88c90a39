// Attention without parameters: queries, keys and values come from outside.

#include "attention.h"
#include "fields.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_groups(config.dimension("num_heads"), kv_heads_of(config));
}

void forward(Graph& graph, const Config& config) {
  const Dimension B = config.dimension("batch_size"), H = config.dimension("num_heads");
  const Dimension T = config.dimension("seq_len"), S = kv_len_of(config);
  const Dimension D = config.dimension("head_dim"), G = kv_heads_of(config);
  const Dimension V = config.dimension("vdim", D);
  const DropoutModule dropout{.share = config.number("dropout")};
  const TensorId query = graph.add_input("query", {B, H, as_query(T), D});
  const TensorId key = graph.add_input("key", {B, G, S, D});
  const TensorId value = graph.add_input("value", {B, G, S, V});
  const int64_t offset = config.choice("causal_alignment") == "lower_right" ? S - T : 0;
  const AttentionOptions options{.band = band_of(config, offset),
                                 .scale = config.optional_number("scale"),
                                 .softcap = config.optional_number("softcap"),
                                 .dropout = dropout};
  const Attended attended = add_attention(graph, query, key, value, options, "output");
  graph.add_result("output", attended.output);
  graph.add_result("weights", attended.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "scaled_dot_product_attention",
    .title = "Scaled dot-product attention",
    .group = "attention",
    .place = 330,
    .summary = "Each query weighs the values by its dot products with the keys.",
    .pytorch_class = "ScaledDotProductAttention",
    .fields = {fields::batch_size(), fields::num_heads(), fields::free_num_kv_heads(),
               fields::seq_len(), fields::kv_len(), fields::head_dim(),
               optional(fields::dimension("vdim",
                                          "Features of each value in each head; null: head_dim.", 1,
                                          Axis::kHeadFeature)),
               fields::is_causal(false),
               choice_field(
                   "causal_alignment",
                   "Where queries stand where seq_len is not kv_len: the first at the first "
                   "key (PyTorch's is_causal), or the last at the last key (decoding).",
                   {"upper_left", "lower_right"}, "upper_left"),
               fields::window(), fields::scale(),
               fields::softcap("softcap",
                               "Bound within which tanh keeps the scores, before the mask (Gemma "
                               "2); null: none."),
               fields::dropout(0), fields::dtype()},
    .forward_graph = forward_graph<forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
