// A stack of decoder layers with a head over the vocabulary: GPT-2, Llama and their kin, with the
// names of Hugging Face's LlamaForCausalLM.
// Radford et al. 2019; Touvron et al. 2023, https://arxiv.org/abs/2302.13971.

#include <algorithm>

#include "../ops/arithmetic.h"
#include "../ops/softcap.h"
#include "fields.h"
#include "grouped.h"
#include "stack.h"
#include "transformer.h"
#include "words.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_groups(config.dimension("num_heads"), kv_heads_of(config));
  check_padding(config);
  check_rotation(config, "head_dim", head_dim_of(config));
  if (config.optional_integer("full_every") && !config.optional_integer("window")) {
    refuse("full_every", "full_every needs a window, got {} without one",
           {*config.optional_integer("full_every")});
  }
  if (config.optional_number("rope_local_base_freq") && !config.optional_integer("window")) {
    refuse("rope_local_base_freq", "rope_local_base_freq needs a window, got {} without one",
           {*config.optional_number("rope_local_base_freq")});
  }
  check_positions(config, "past_len + seq_len",
                  config.integer("past_len") + config.dimension("seq_len"));
}

/// Layers of one kind: those that see everything, or those that see a window.
struct Kind {
  const char *class_name, *prefix;
  Span span;
  double theta;
};

/// The kinds of layers, and which kind each is.
struct Kinds {
  std::vector<Kind> kinds;
  std::vector<int> order;
};

Kinds kinds_of(const Config& config) {
  const std::optional<int64_t> window = config.optional_integer("window");
  const int64_t every = config.optional_integer("full_every").value_or(0);
  const double theta = config.number("rope_theta");
  const double local = config.optional_number("rope_local_base_freq").value_or(theta);
  const Kind full{"DecoderLayer", "", span_of(config, std::nullopt), theta};
  Kind windowed{"DecoderLayer", "", span_of(config, window), local};
  std::vector<int> order;  // all see everything without a window, else each n-th, or none
  for (int64_t i = 0; i < config.integer("num_layers"); ++i) {
    order.push_back(!window || (every > 0 && (i + 1) % every == 0));
  }
  const auto all = static_cast<size_t>(std::count(order.begin(), order.end(), 1));
  if (all == 0 || all == order.size()) {
    return {{all == 0 ? windowed : full}, std::vector<int>(order.size(), 0)};
  }
  windowed.class_name = "WindowedDecoderLayer", windowed.prefix = "window_";
  return {{windowed, full}, std::move(order)};
}

/// What one layer of the stack has.
struct LayerModules {
  GroupedAttention attention;
  FeedForward feed_forward;
  NormModule before_attention, after_attention;
  std::optional<NormModule> before_mlp, after_mlp;  // with post_norms
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
  if (config.choice("norm") == "layer_norm") return declare_layer_norm(parameters, name, E, eps);
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

LayerModules declare_layer(Parameters& parameters, const Config& config) {
  const bool qk_norm = config.flag("qk_norm");
  const GroupedShape shape{config.dimension("hidden_size"),
                           config.dimension("num_heads"),
                           kv_heads_of(config),
                           head_dim_of(config),
                           config.flag("bias"),
                           config.flag("output_bias"),
                           qk_norm ? std::optional(config.number("norm_eps")) : std::nullopt,
                           norms_plus_one(config)};
  LayerModules layer{GroupedAttention(parameters, "self_attn.", shape),
                     declare_mlp(parameters, config),
                     declare_norm(parameters, config, "input_layernorm"),
                     declare_norm(parameters, config, "post_attention_layernorm"),
                     {},
                     {}};
  if (config.flag("post_norms")) {
    layer.before_mlp = declare_norm(parameters, config, "pre_feedforward_layernorm");
    layer.after_mlp = declare_norm(parameters, config, "post_feedforward_layernorm");
  }
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
  TensorId add_head(TensorId normed) {
    const auto cap = config_.optional_number("final_logit_softcapping");
    const TensorId logits =
        apply_linear(graph_, modules_.head, "classify", normed, cap ? "uncapped_logits" : "logits");
    if (!cap) return logits;
    return graph_.add_step("softcap", "classify", make_op<Softcap>(*cap), {logits}, "logits");
  }

  TensorId add_embeddings() {
    const Span span = span_of(config_, std::nullopt);
    tokens_ = graph_.add_integer_input("tokens", {config_.dimension("batch_size"), span.seq_len},
                                       config_.dimension("vocab_size"));
    const char* placed = has_position_vectors(config_) ? "word_vectors" : "hidden_states";
    const auto scale = config_.optional_number("embedding_scale");
    TensorId x =
        apply_embedding(graph_, modules_.words, tokens_, scale ? "unscaled_words" : placed);
    if (scale) {
      const auto by_scale = make_op<Scale>(*scale);
      x = graph_.add_step("scale_words", "embed", by_scale, {x}, placed);
    }
    return add_position_vectors(graph_, config_, span, modules_.positions, x, "hidden_states");
  }

  std::vector<TensorId> add_layers(TensorId embedded) {
    const std::vector<Kind> kinds = kinds_of(config_).kinds;
    const HeadShape heads{config_.dimension("num_heads"), head_dim_of(config_)};
    const PositionSteps steps(graph_, config_, heads, embedded, /*is_causal=*/true,
                              modules_.relative_bias);
    const Kind& first = kinds.front();
    const Positions far = steps.add(kinds.back().span, kinds.back().theta);
    const bool alike = steps.alike(kinds.back().span, kinds.back().theta, first.span, first.theta);
    const Positions near = alike ? far : steps.add(first.span, first.theta, first.prefix);
    std::vector<StackedLayer> layers;
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      layers.push_back(
          make_layer(kinds[kind], kind, kind + 1 < kinds.size() ? near : far, embedded));
    }
    return add_stack(graph_, modules_.layers, std::move(layers));
  }

  StackedLayer make_layer(const Kind& kind, size_t index, const Positions& positions,
                          TensorId embedded) const {
    StackedLayer layer(graph_, modules_.layers, index, embedded, kind.prefix);
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
    const bool post_norms = layer.before_mlp.has_value();
    const TensorId from = apply_norm(graph, layer.before_attention, x, "attention_normed");
    const Scores scores{.scale = config_.optional_number("scale"),
                        .softcap = config_.optional_number("attn_logit_softcapping")};
    const Attended attended =
        layer.attention.apply(graph, from, positions, span, scores, "attended");
    TensorId made = attended.output;
    if (post_norms) made = apply_norm(graph, layer.after_attention, made, "normed_attended");
    const TensorId middle = add_residual(graph, x, made, "middle");
    const TensorId inner = apply_norm(graph, post_norms ? *layer.before_mlp : layer.after_attention,
                                      middle, "mlp_normed");
    TensorId fed = layer.feed_forward.apply(graph, inner, "fed_forward");
    if (post_norms) fed = apply_norm(graph, *layer.after_mlp, fed, "normed_fed_forward");
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
         activation_field("silu", {"relu", "gelu", "gelu_tanh", "silu"}),
         choice_field("norm",
                      "Which norm the layers have; rms_norm_plus_one multiplies by 1 + weight "
                      "(Gemma).",
                      {"layer_norm", "rms_norm", "rms_norm_plus_one"}, "rms_norm"),
         fields::norm_eps(1e-5),
         boolean_field("post_norms",
                       "Whether a norm also follows attention and feed-forward network "
                       "(Gemma 2 and 3).",
                       false),
         position_field(
             "How positions are told apart: learned or sinusoidal vectors added to the "
             "input, rotary embedding (rope), or biases on the scores: ALiBi, T5's "
             "relative. Rope turns feature i of a head with i + head_dim / 2: weights "
             "for neighbouring pairs (GPT-J, Meta's Llama files) take the even rows of "
             "each head of q_proj and k_proj before the odd ones, as permute() in "
             "transformers' convert_llama_weights_to_hf.py. Vectors count from the start "
             "of each sequence, so padding goes to its end.",
             {"none", "learned", "sinusoidal", "rope", "alibi", "relative"}, "rope"),
         fields::rope_theta(),
         optional(sampled({100, 10000},
                          number_field("rope_local_base_freq",
                                       "With a window: rope_theta of the layers that have it "
                                       "(Gemma 3); null: the same.",
                                       10000, 1, 1e12))),
         boolean_field("qk_norm", "Whether queries and keys are normed in each head (RMS).", false),
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
         optional(above_min(
             sampled({3, 0.5, 8}, number_field("embedding_scale",
                                               "What the embeddings are multiplied by (Gemma: "
                                               "the root of hidden_size); null: nothing.",
                                               1, 0, 1e6)))),
         boolean_field("tie_embeddings", "Whether the head's weight is the embedding's.", false),
         fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
