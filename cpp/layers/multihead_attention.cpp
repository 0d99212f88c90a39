// Multi-head attention: nn.MultiheadAttention with all that it offers, or four linear layers.
// Vaswani et al. 2017, "Attention Is All You Need", https://arxiv.org/abs/1706.03762,
// section 3.2.2.

#include "../graph/number.h"
#include "../ops/concat.h"
#include "../ops/heads.h"
#include "fields.h"
#include "packed_multihead.h"

namespace attnscope {
namespace {

struct Sizes {
  Dimension B, T, S, E, kdim, vdim;
  bool cross;  // keys and values come from elsewhere
};

Sizes sizes_of(const Config& config) {
  const Dimension T = config.dimension("seq_len"), E = config.dimension("hidden_size");
  return {config.dimension("batch_size"),
          T,
          config.dimension("kv_len", T),
          E,
          config.dimension("kdim", E),
          config.dimension("vdim", E),
          config.optional_integer("kv_len").has_value()};
}

bool is_packed(const Config& config) { return config.choice("projections") == "packed"; }

void check(const Config& config) {
  check_heads_divide(config, "hidden_size");
  const Sizes sizes = sizes_of(config);
  for (const char* field : {"kdim", "vdim"}) {
    const int64_t features = field == std::string_view("kdim") ? sizes.kdim : sizes.vdim;
    if (sizes.cross || features == sizes.E) continue;
    refuse(field,
           "{} needs kv_len: without it keys and values are the hidden states of hidden_size ({}), "
           "got {}",
           {field, sizes.E, features});
  }
  if (is_packed(config)) return;
  for (const char* field : {"add_bias_kv", "add_zero_attn"}) {
    if (!config.flag(field)) continue;
    refuse(field,
           "{} must be false where projections is separate: only nn.MultiheadAttention has it, got "
           "true",
           {field});
  }
}

/// The arguments of nn.MultiheadAttention.
std::string arguments(const Config& config) {
  const Sizes sizes = sizes_of(config);
  std::string text = format("{}, {}", {sizes.E, config.dimension("num_heads")});
  if (config.number("dropout") != 0) text += format(", dropout={}", {config.number("dropout")});
  if (!config.flag("bias")) text += ", bias=False";
  if (config.flag("add_bias_kv")) text += ", add_bias_kv=True";
  if (config.flag("add_zero_attn")) text += ", add_zero_attn=True";
  if (sizes.kdim != sizes.E) text += format(", kdim={}", {sizes.kdim});
  if (sizes.vdim != sizes.E) text += format(", vdim={}", {sizes.vdim});
  return format("{}, batch_first=True", {text});
}

AttentionSources add_inputs(Graph& graph, const Sizes& sizes) {
  if (!sizes.cross) {
    const TensorId x = graph.add_input("hidden_states", {sizes.B, sizes.T, sizes.E});
    return {x, x, x};
  }
  const TensorId query = graph.add_input("query", {sizes.B, as_query(sizes.T), sizes.E});
  const TensorId key = graph.add_input("key", {sizes.B, sizes.S, sizes.kdim});
  const TensorId value = graph.add_input("value", {sizes.B, sizes.S, sizes.vdim});
  return {query, key, value};
}

struct Modules {
  Projections projections;
  Weight bias_k{}, bias_v{};  // of add_bias_kv
  DropoutModule dropout;
};

Modules declare(Parameters& parameters, const Config& config) {
  const Sizes sizes = sizes_of(config);
  const bool bias = config.flag("bias");
  const double share = config.number("dropout");
  if (!is_packed(config)) {
    const Projections projections =
        declare_projections(parameters, "", sizes.E, sizes.kdim, sizes.vdim, bias);
    return {.projections = projections, .dropout = declare_dropout(parameters, "dropout", share)};
  }
  parameters.inherit("nn.MultiheadAttention", arguments(config));
  const PackedProjections packed = declare_packed_multihead(
      parameters, "", {sizes.E, sizes.kdim, sizes.vdim, bias, config.flag("add_bias_kv")});
  return {packed.projections, packed.bias_k, packed.bias_v, {.share = share}};
}

/// What nn.MultiheadAttention does between the projections and the attention.
class PackedHeads {
 public:
  PackedHeads(Graph& graph, const Config& config, const Modules& modules)
      : graph_(graph), config_(config), modules_(modules) {}

  TensorId query(TensorId x) const {
    return split(project(modules_.projections.query, x, "projected_query"), "query_heads");
  }
  TensorId key(TensorId x) const {
    return extended(modules_.projections.key, x, modules_.bias_k, "key");
  }
  TensorId value(TensorId x) const {
    return extended(modules_.projections.value, x, modules_.bias_v, "value");
  }

 private:
  TensorId project(const LinearModule& linear, TensorId x, std::string_view name) const {
    return apply_linear(graph_, linear, "project", x, name);
  }
  TensorId split(TensorId features, std::string_view name) const {
    return split_heads(graph_, features, config_.dimension("num_heads"), name);
  }
  /// Heads of keys or values, with the positions that add_bias_kv and add_zero_attn append.
  TensorId extended(const LinearModule& linear, TensorId x, const Weight& row,
                    std::string_view name) const {
    TensorId features = project(linear, x, format("projected_{}", {name}));
    if (row.exists()) {
      features = graph_.add_step(format("append_bias_{}", {name}), "project", make_op<AppendRow>(),
                                 {features, graph_.use(row)}, format("extended_{}", {name}));
    }
    const TensorId heads = split(features, format("{}_heads", {name}));
    if (!config_.flag("add_zero_attn")) return heads;
    return graph_.add_step(format("append_zeros_{}", {name}), "project", make_op<AppendZeros>(),
                           {heads}, format("{}_heads_and_zeros", {name}));
  }

  Graph& graph_;
  const Config& config_;
  const Modules& modules_;
};

Attended add_packed(Graph& graph, const Modules& modules, const Config& config) {
  const Sizes sizes = sizes_of(config);
  const AttentionSources from = add_inputs(graph, sizes);
  const PackedHeads heads(graph, config, modules);
  const TensorId query = heads.query(from.query), key = heads.key(from.key),
                 value = heads.value(from.value);
  AttentionOptions options{.dropout = modules.dropout};
  options.band.is_causal = config.flag("is_causal");
  options.band.tail = (config.flag("add_bias_kv") ? 1 : 0) + (config.flag("add_zero_attn") ? 1 : 0);
  Attended attended = add_attention(graph, query, key, value, options, "context");
  attended.output = apply_linear(graph, modules.projections.output, "combine",
                                 merge_heads(graph, attended.output, "merged"), "output");
  return attended;
}

Attended add_separate(Graph& graph, const Modules& modules, const Config& config) {
  AttentionOptions options{.dropout = modules.dropout};
  options.band.is_causal = config.flag("is_causal");
  return add_projected_attention(graph, modules.projections, add_inputs(graph, sizes_of(config)),
                                 config.dimension("num_heads"), options, "output");
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const Attended attended =
      is_packed(config) ? add_packed(graph, modules, config) : add_separate(graph, modules, config);
  graph.add_result("output", attended.output);
  TensorId weights = attended.weights;
  if (config.flag("average_attn_weights")) {
    weights = graph.add_step("average_weights", "normalize", make_op<MeanHeads>(), {weights},
                             "mean_weights");
  }
  graph.add_result("weights", weights, {.weights = true});
}

const Layer kLayer = {
    .name = "multihead_attention",
    .title = "Multi-head attention",
    .group = "attention",
    .place = 360,
    .summary =
        "Several heads attend side by side, each in its own projection of the hidden states.",
    .pytorch_class = "MultiheadAttention",
    .fields = {fields::batch_size(), fields::seq_len(),
               optional(fields::dimension("kv_len",
                                          "Positions of keys and values that come from elsewhere "
                                          "(cross-attention); null: self-attention.",
                                          1, Axis::kKey)),
               fields::hidden_size(), fields::num_heads(), fields::kdim(),
               optional(fields::dimension("vdim", "Features of each value; null: hidden_size.", 1)),
               fields::bias(),
               boolean_field("add_bias_kv", "Whether a learned key and value follow the others.",
                             false),
               boolean_field("add_zero_attn", "Whether a key and value of zeros follow the others.",
                             false),
               fields::is_causal(false),
               boolean_field("average_attn_weights",
                             "Whether the weights returned are the mean of all heads.", false),
               choice_field(
                   "projections",
                   "packed: nn.MultiheadAttention, whose three projections are one tensor; "
                   "separate: four nn.Linear.",
                   {"packed", "separate"}, "packed"),
               fields::dropout(0), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
