// A stack of decoder layers with a head over the vocabulary: GPT-2, Llama and their kin, with the
// names of Hugging Face's LlamaForCausalLM.
// Radford et al. 2019; Touvron et al. 2023, https://arxiv.org/abs/2302.13971.

#include <algorithm>
#include <array>
#include <utility>

#include "../ops/arithmetic.h"
#include "../ops/softcap.h"
#include "fields.h"
#include "grouped.h"
#include "stack.h"
#include "transformer.h"
#include "words.h"

namespace attnscope {
namespace {

/// The features of each head that rotary positions turn.
int64_t rotary_dim_of(const Config& config) {
  return config.optional_integer("rotary_dim").value_or(head_dim_of(config));
}

void check_rotary_dim(const Config& config) {
  const auto rotary_dim = config.optional_integer("rotary_dim");
  const int64_t head_dim = head_dim_of(config);
  if (!rotary_dim) return check_rotation(config, "head_dim", head_dim);
  if (*rotary_dim > head_dim) {
    refuse("rotary_dim", "rotary_dim must be at most head_dim ({}), got {}",
           {head_dim, *rotary_dim});
  }
  check_rotation(config, "rotary_dim", *rotary_dim);
}

/// Refuses a field that has no effect without rotary positions.
void check_turned(const Config& config, const char* field, const std::optional<Piece>& value) {
  const std::string_view position = config.choice("position");
  if (!value || position == "rope") return;
  refuse(field, "{} needs position rope, got {} with position {}", {field, *value, position});
}

/// Refuses a field that has no effect without a window.
void check_windowed(const Config& config, const char* field, const std::optional<Piece>& value) {
  if (!value || config.optional_integer("window")) return;
  refuse(field, "{} needs a window, got {} without one", {field, *value});
}

void check(const Config& config) {
  check_groups(config.dimension("num_heads"), kv_heads_of(config));
  check_padding(config);
  using Optional = std::optional<Piece>;
  const std::string_view norm_after = config.choice("qk_norm_after");
  check_turned(config, "rotary_dim", config.optional_integer("rotary_dim"));
  check_turned(config, "rope_interleave",
               config.flag("rope_interleave") ? Optional("true") : Optional());
  check_turned(config, "nope_every", config.optional_integer("nope_every"));
  check_turned(config, "qk_norm_after",
               norm_after == "rotation" ? Optional(norm_after) : Optional());
  check_rotary_dim(config);
  if (norm_after != "split" && !config.flag("qk_norm")) {
    refuse("qk_norm_after", "qk_norm_after needs qk_norm, got {} without it", {norm_after});
  }
  check_windowed(config, "full_every", config.optional_integer("full_every"));
  check_windowed(config, "rope_local_base_freq", config.optional_number("rope_local_base_freq"));
  check_positions(config, "past_len + seq_len",
                  config.integer("past_len") + config.dimension("seq_len"));
}

/// Layers of one kind: they see everything or a window, and have rope or go without.
struct Kind {
  const char *class_name, *prefix, *mask_prefix;
  Span span;
  double theta;
  bool without_rope;
};

/// The kinds of layers, and which kind each is.
struct Kinds {
  std::vector<Kind> kinds;
  std::vector<int> order;
};

struct Names {
  const char *class_name, *prefix;
};

/// Names of layers beside others: alike, with a window, without rope, without rope and with a
/// window.
constexpr std::array kNames{Names{"DecoderLayer", ""}, Names{"WindowedDecoderLayer", "window_"},
                            Names{"NopeDecoderLayer", "nope_"},
                            Names{"NopeWindowedDecoderLayer", "nope_window_"}};

Kinds kinds_of(const Config& config) {
  const std::optional<int64_t> window = config.optional_integer("window");
  const double theta = config.number("rope_theta");
  const double local = config.optional_number("rope_local_base_freq").value_or(theta);
  const auto is_nth = [&](const char* field, int64_t layer) {
    const auto every = config.optional_integer(field);
    return every && layer % *every == 0;
  };
  constexpr int kFull = 2, kNope = 1;
  Kinds kinds;
  std::array<bool, 4> exists{};  // by mark: order holds marks at first
  for (int64_t i = 1; i <= config.integer("num_layers"); ++i) {
    const bool is_full = !window || is_nth("full_every", i);
    const int mark = (is_full ? kFull : 0) + (is_nth("nope_every", i) ? kNope : 0);
    exists[mark] = true;
    kinds.order.push_back(mark);
  }
  std::array<int, 4> places{-1, -1, -1, -1};  // of the kinds in the order in which they run
  for (int& kind : kinds.order) {
    const int mark = kind;
    if (places[mark] < 0) {
      const bool is_full = mark >= kFull, without_rope = mark % 2 == kNope;
      const bool sees_less = !is_full && (exists[kFull] || exists[kFull + kNope]);
      const bool beside_rope = without_rope && exists[mark - kNope];
      const Names& names = kNames[(beside_rope ? 2 : 0) + (sees_less ? 1 : 0)];
      places[mark] = static_cast<int>(kinds.kinds.size());
      kinds.kinds.push_back({.class_name = names.class_name,
                             .prefix = names.prefix,
                             .mask_prefix = sees_less ? "window_" : "",
                             .span = span_of(config, is_full ? std::nullopt : window),
                             .theta = is_full ? theta : local,
                             .without_rope = without_rope});
    }
    kind = places[mark];
  }
  return kinds;
}

/// What one layer of the stack has.
struct LayerModules {
  GroupedAttention attention;
  FeedForward feed_forward;
  std::optional<NormModule> before_attention, before_mlp;  // with pre_norms
  std::optional<NormModule> after_attention, after_mlp;    // with post_norms
};

struct Modules {
  EmbeddingModule words;
  std::optional<EmbeddingModule> positions, relative_bias;
  int layers;
  std::vector<LayerModules> kinds;
  NormModule norm;
  LinearModule head;
};

bool norms_plus_one(const Config& config) { return config.choice("norm") == "rms_norm_plus_one"; }

NormModule declare_norm(Parameters& parameters, const Config& config, std::string_view name) {
  const Dimension E = config.dimension("hidden_size");
  const double eps = config.number("norm_eps");
  if (config.choice("norm").starts_with("layer_norm")) {
    const bool plus_one = config.choice("norm") == "layer_norm_plus_one";
    return declare_layer_norm(parameters, name, E, eps, true, true, plus_one);
  }
  return declare_rms_norm(parameters, name, E, eps, norms_plus_one(config));
}

FeedForward declare_mlp(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), F = config.dimension("intermediate_size");
  const bool bias = config.flag("mlp_bias");
  FeedForward mlp{.activation = config.choice("activation")};
  if (config.flag("gated")) mlp.gate = declare_linear(parameters, "mlp.gate_proj", E, F, bias);
  mlp.up = declare_linear(parameters, "mlp.up_proj", E, F, bias);
  mlp.down = declare_linear(parameters, "mlp.down_proj", F, E, bias);
  return mlp;
}

NormAfter qk_norm_after(const Config& config) {
  const std::string_view step = config.choice("qk_norm_after");
  if (step == "projection") return NormAfter::kProjection;
  return step == "split" ? NormAfter::kSplit : NormAfter::kRotation;
}

LayerModules declare_layer(Parameters& parameters, const Config& config) {
  const bool qk_norm = config.flag("qk_norm");
  const GroupedShape shape{config.dimension("hidden_size"),
                           config.dimension("num_heads"),
                           kv_heads_of(config),
                           head_dim_of(config),
                           config.flag("bias"),
                           config.flag("output_bias"),
                           qk_norm ? std::optional(config.number("norm_eps")) : std::nullopt,
                           norms_plus_one(config),
                           qk_norm_after(config),
                           config.flag("rope_interleave")};
  LayerModules layer{GroupedAttention(parameters, "self_attn.", shape),
                     declare_mlp(parameters, config),
                     {},
                     {},
                     {},
                     {}};
  const auto norm = [&](const char* name) { return declare_norm(parameters, config, name); };
  const bool before = config.flag("pre_norms"), after = config.flag("post_norms");
  if (before) layer.before_attention = norm("input_layernorm");
  if (after) layer.after_attention = norm("post_attention_layernorm");
  if (before) {
    layer.before_mlp = norm(after ? "pre_feedforward_layernorm" : "post_attention_layernorm");
  }
  if (after) layer.after_mlp = norm("post_feedforward_layernorm");
  return layer;
}

Modules declare(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), V = config.dimension("vocab_size");
  Modules modules{};
  modules.words = declare_words(parameters, config, "model.embed_tokens", E);
  modules.positions = declare_position_vectors(parameters, config, "model.embed_positions", E);
  modules.relative_bias =
      declare_relative_bias(parameters, config, config.dimension("num_heads"), "model.");
  Kinds kinds = kinds_of(config);
  Member layers{"model.layers", {}, std::move(kinds.order)};
  for (const Kind& kind : kinds.kinds) {
    auto layer = std::make_shared<Parameters>(kind.class_name);
    modules.kinds.push_back(declare_layer(*layer, config));
    layers.kinds.push_back(std::move(layer));
  }
  modules.layers = parameters.add_member(std::move(layers));
  modules.norm = declare_norm(parameters, config, "model.norm");
  modules.head.weight = modules.words.weight;
  if (!config.flag("tie_embeddings")) {
    modules.head = declare_linear(parameters, "lm_head", E, V, false);
  }
  return modules;
}

class Forward {
 public:
  Forward(Graph& graph, const Modules& modules, const Config& config)
      : graph_(graph), modules_(modules), config_(config) {}

  void run() {
    const std::vector<TensorId> layers = add_layers(add_embeddings());
    const TensorId hidden = layers[0], weights = layers[1];
    const TensorId normed = apply_norm(graph_, modules_.norm, hidden, "normed_hidden");
    graph_.add_result("output", add_head(normed), {.predicts = tokens_});
    graph_.add_result("weights", weights, {.weights = true});
  }

 private:
  /// x times the number that a field has, called `output`; x itself where the field is null.
  TensorId scaled(Graph& graph, const char* field, const char* part, TensorId x,
                  const char* output) const {
    const auto factor = config_.optional_number(field);
    if (!factor) return x;
    return graph.add_step(format("scale_{}", {output}), part, make_op<Scale>(*factor), {x}, output);
  }

  TensorId add_head(TensorId normed) {
    const auto cap = config_.optional_number("final_logit_softcapping");
    const bool scales = config_.optional_number("logit_scale").has_value();
    const char *scaled_name = cap ? "uncapped_logits" : "logits",
               *made_name = scales ? "unscaled_logits" : scaled_name;
    const TensorId made = apply_linear(graph_, modules_.head, "classify", normed, made_name);
    const TensorId logits = scaled(graph_, "logit_scale", "classify", made, scaled_name);
    if (!cap) return logits;
    return graph_.add_step("softcap", "classify", make_op<Softcap>(*cap), {logits}, "logits");
  }

  TensorId add_embeddings() {
    const Span span = span_of(config_, std::nullopt);
    tokens_ = graph_.add_integer_input("tokens", {config_.dimension("batch_size"), span.seq_len},
                                       config_.dimension("vocab_size"));
    const char* placed = has_position_vectors(config_) ? "word_vectors" : "hidden_states";
    const bool scales = config_.optional_number("embedding_scale").has_value();
    const TensorId words =
        apply_embedding(graph_, modules_.words, tokens_, scales ? "unscaled_words" : placed);
    const TensorId x = scaled(graph_, "embedding_scale", "embed", words, placed);
    return add_position_vectors(graph_, config_, span, modules_.positions, x, "hidden_states");
  }

  std::vector<TensorId> add_layers(TensorId embedded) {
    const std::vector<Kind> kinds = kinds_of(config_).kinds;
    const PositionSteps steps(graph_, config_, config_.dimension("num_heads"),
                              rotary_dim_of(config_), embedded, /*is_causal=*/true,
                              modules_.relative_bias);
    std::vector<Positions> positions(kinds.size());
    size_t known = kinds.size();  // the later kind that has positions
    for (size_t kind = kinds.size(); kind-- > 0;) {
      const Kind& own = kinds[kind];
      if (own.without_rope) continue;
      const bool alike = known < kinds.size() &&
                         steps.alike(kinds[known].span, kinds[known].theta, own.span, own.theta);
      positions[kind] = alike ? positions[known] : steps.add(own.span, own.theta, own.prefix);
      known = kind;
    }
    std::vector<StackedLayer> layers;
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      layers.push_back(make_layer(kinds[kind], kind, positions[kind], embedded));
    }
    return add_stack(graph_, modules_.layers, std::move(layers));
  }

  StackedLayer make_layer(const Kind& kind, size_t index, const Positions& positions,
                          TensorId embedded) const {
    StackedLayer layer(graph_, modules_.layers, index, embedded, kind.prefix, kind.mask_prefix);
    const Positions given{.rotation = layer.share(positions.rotation),
                          .bias = layer.share(positions.bias)};
    const auto [hidden, weights] =
        add_layer(layer.graph(), modules_.kinds[index], layer.carried(), given, kind.span);
    layer.graph().add_result("hidden_states", hidden);
    layer.graph().add_result("weights", weights, {.weights = true});
    return layer;
  }

  Attended add_layer(Graph& graph, const LayerModules& layer, TensorId x,
                     const Positions& positions, const Span& span) const {
    const auto normed = [&](const std::optional<NormModule>& norm, TensorId features,
                            const char* output) {
      return norm ? apply_norm(graph, *norm, features, output) : features;
    };
    const TensorId from = normed(layer.before_attention, x, "attention_normed");
    const Scores scores{.scale = config_.optional_number("scale"),
                        .softcap = config_.optional_number("attn_logit_softcapping")};
    const Attended attended =
        layer.attention.apply(graph, from, positions, span, scores, "attended");
    TensorId made = normed(layer.after_attention, attended.output, "normed_attended");
    made = scaled(graph, "residual_scale", "residual", made, "scaled_attended");
    const TensorId middle = add_residual(graph, x, made, "middle");
    const TensorId inner = normed(layer.before_mlp, middle, "mlp_normed");
    TensorId fed = layer.feed_forward.apply(graph, inner, "fed_forward");
    fed = normed(layer.after_mlp, fed, "normed_fed_forward");
    fed = scaled(graph, "residual_scale", "residual", fed, "scaled_fed_forward");
    return {add_residual(graph, middle, fed, "layer_output"), attended.weights};
  }

  Graph& graph_;
  const Modules& modules_;
  const Config& config_;
  TensorId tokens_ = kNoTensor;
};

void forward(Graph& graph, const Modules& modules, const Config& config) {
  Forward(graph, modules, config).run();
}

Field multiplier(const char* name, const char* meaning, std::vector<double> samples) {
  return optional(above_min(sampled(std::move(samples), number_field(name, meaning, 1, 0, 1e6))));
}

const Layer kLayer = {
    .name = "decoder",
    .title = "Decoder",
    .group = "transformer",
    .place = 450,
    .summary =
        "A causal language model: embeddings, a stack of decoder layers and a head over the "
        "vocabulary.",
    .pytorch_class = "Decoder",
    .fields =
        {fields::batch_size(1),
         fields::seq_len(),
         fields::past_len(),
         fields::vocab_size(8192),
         fields::padding_idx(),
         fields::max_positions(1024),
         fields::hidden_size(256),
         fields::num_layers(4),
         fields::num_heads(8),
         fields::free_num_kv_heads(),
         fields::free_head_dim(),
         fields::intermediate_size(688),
         boolean_field("gated", "Whether the feed-forward network has a gate (SwiGLU, GeGLU).",
                       true),
         choice_field("activation",
                      "Function inside the feed-forward network; relu2 is relu squared (Arcee).",
                      {"relu", "relu2", "gelu", "gelu_tanh", "silu"}, "silu"),
         choice_field("norm",
                      "Which norm the layers have; those plus one multiply by 1 + weight "
                      "(Nemotron, Gemma).",
                      {"layer_norm", "layer_norm_plus_one", "rms_norm", "rms_norm_plus_one"},
                      "rms_norm"),
         fields::norm_eps(1e-5),
         boolean_field("pre_norms",
                       "Whether a norm precedes attention and feed-forward network (not in OLMo 2 "
                       "and 3, EXAONE 4).",
                       true),
         boolean_field("post_norms",
                       "Whether a norm follows attention and feed-forward network (Gemma 2 and 3, "
                       "OLMo 2 and 3).",
                       false),
         position_field(
             "How positions are told apart: learned or sinusoidal vectors added to the "
             "input, rotary embedding (rope), or biases on the scores: ALiBi, T5's "
             "relative. Vectors count from the start of each sequence, so padding goes to its "
             "end.",
             {"none", "learned", "sinusoidal", "rope", "alibi", "relative"}, "rope"),
         fields::rope_theta(),
         optional(over(
             Axis::kHeadFeature,
             sampled({2, 4, 6}, integer_field("rotary_dim",
                                              "Features of each head, the first ones, that rope "
                                              "turns (StableLM, GLM); null: all.",
                                              64, 1, fields::kMaxDimension)))),
         boolean_field("rope_interleave",
                       "Whether rope turns neighbouring features 2i and 2i + 1 (GLM, Meta's Llama "
                       "files), or i with i + rotary_dim / 2.",
                       false),
         optional(sampled({100, 10000},
                          number_field("rope_local_base_freq",
                                       "With a window: rope_theta of the layers that have it "
                                       "(Gemma 3); null: the same.",
                                       10000, 1, 1e12))),
         optional(sampled({2, 1, 3}, integer_field("nope_every",
                                                   "Each n-th layer goes without rope (SmolLM3, "
                                                   "EXAONE 4); null: none does.",
                                                   1, 1, fields::kMaxLayers))),
         boolean_field("qk_norm", "Whether queries and keys are normed (RMS).", false),
         choice_field("qk_norm_after",
                      "The step that norms of queries and keys follow: projection, over all heads "
                      "(OLMo 2 and 3), split, in each head (Qwen3), or rotation (HunYuan).",
                      {"projection", "split", "rotation"}, "split"),
         boolean_field("bias", "Whether queries, keys and values get a bias.", false),
         boolean_field("output_bias", "Whether attention's output projection adds a bias.", false),
         boolean_field("mlp_bias", "Whether the feed-forward network's layers add a bias.", false),
         fields::window(),
         optional(sampled({2, 1, 3}, integer_field("full_every",
                                                   "With a window: each n-th layer attends to "
                                                   "everything (Gemma 2 and 3); null: none does.",
                                                   1, 1, fields::kMaxLayers))),
         fields::scale(),
         fields::softcap("attn_logit_softcapping",
                         "Bound within which tanh keeps the scores, before the mask (Gemma 2); "
                         "null: none."),
         fields::softcap("final_logit_softcapping",
                         "Bound within which tanh keeps the logits (Gemma 2); null: none."),
         multiplier("embedding_scale",
                    "What the embeddings are multiplied by (Gemma: the root of hidden_size); null: "
                    "nothing.",
                    {3, 0.5, 8}),
         multiplier("residual_scale",
                    "What attention and feed-forward network add is multiplied by this (Granite); "
                    "null: by nothing.",
                    {0.5, 0.22, 2}),
         multiplier("logit_scale",
                    "What the logits are multiplied by (Granite: 1 / logits_scaling); null: "
                    "nothing.",
                    {0.25, 4, 0.1}),
         boolean_field("tie_embeddings", "Whether the head's weight is the embedding's.", false),
         fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
