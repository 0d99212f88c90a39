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

class Builder {
 public:
  explicit Builder(const Config& config)
      : config_(config),
        E_(config.dimension("hidden_size")),
        H_(config.dimension("num_heads")),
        D_(head_dim_of(config)) {}

  Graph run() {
    const Dimension V = config_.dimension("vocab_size");
    const EmbeddingModule words = declare_words(graph_, config_, "model.embed_tokens", E_);
    const TensorId embedded = add_embeddings(words, V);
    add_layers(embedded);
    const Call& layers = graph_.calls().back();
    const TensorId hidden = layers.outputs[0], weights = layers.outputs[1];
    const TensorId normed =
        apply_norm(graph_, declare_norm(graph_, "model.norm", E_), hidden, "normed_hidden");
    LinearModule head{.weight = words.weight};
    if (!config_.flag("tie_embeddings")) head = declare_linear(graph_, "lm_head", E_, V, false);
    graph_.add_result("output", add_head(head, normed), {.predicts = tokens_});
    graph_.add_result("weights", weights, {.weights = true});
    return std::move(graph_);
  }

 private:
  NormModule declare_norm(Graph& graph, std::string_view name, Dimension features) {
    const double eps = config_.number("norm_eps");
    if (config_.choice("norm") == "layer_norm") {
      return declare_layer_norm(graph, name, features, eps);
    }
    return declare_rms_norm(graph, name, features, eps, norms_plus_one());
  }
  bool norms_plus_one() const { return config_.choice("norm") == "rms_norm_plus_one"; }

  TensorId add_head(const LinearModule& head, TensorId normed) {
    const auto cap = config_.optional_number("final_logit_softcapping");
    const TensorId logits =
        apply_linear(graph_, head, "classify", normed, cap ? "uncapped_logits" : "logits");
    if (!cap) return logits;
    return graph_.add_step("softcap", "classify", make_op<Softcap>(*cap), {logits}, "logits");
  }

  TensorId add_embeddings(const EmbeddingModule& words, Dimension V) {
    const auto learned = declare_position_vectors(graph_, config_, "model.embed_positions", E_);
    const Span span = span_of(config_, std::nullopt);
    tokens_ =
        graph_.add_integer_input("tokens", {config_.dimension("batch_size"), span.seq_len}, V);
    const char* placed = has_position_vectors(config_) ? "word_vectors" : "hidden_states";
    const auto scale = config_.optional_number("embedding_scale");
    TensorId x = apply_embedding(graph_, words, tokens_, scale ? "unscaled_words" : placed);
    if (scale) {
      const auto by_scale = make_op<Scale>(*scale);
      x = graph_.add_step("scale_words", "embed", by_scale, {x}, placed);
    }
    return add_position_vectors(graph_, config_, span, learned, x, "hidden_states");
  }

  /// All layers do without a window, else each n-th, or none.
  bool sees_everything(int64_t layer) const {
    const int64_t every = config_.optional_integer("full_every").value_or(0);
    return !config_.optional_integer("window") || (every > 0 && (layer + 1) % every == 0);
  }

  void add_layers(TensorId embedded) {
    const std::optional<int64_t> window = config_.optional_integer("window");
    const double theta = config_.number("rope_theta");
    const double local = config_.optional_number("rope_local_base_freq").value_or(theta);
    const Kind full{"DecoderLayer", "", span_of(config_, std::nullopt), theta};
    Kind windowed{"DecoderLayer", "", span_of(config_, window), local};
    std::vector<int> order;  // of each layer: 1 where it sees everything
    for (int64_t i = 0; i < config_.integer("num_layers"); ++i) order.push_back(sees_everything(i));
    const int64_t all = std::count(order.begin(), order.end(), 1);
    const PositionSteps steps(graph_, config_, {H_, D_}, embedded, /*is_causal=*/true, "model.");
    std::vector<StackedLayer> kinds;
    if (all == 0 || all == config_.integer("num_layers")) {
      const Kind& kind = all == 0 ? windowed : full;
      kinds.push_back(make_layer(kind, steps.add(kind.span, kind.theta), embedded));
      order.assign(order.size(), 0);
    } else {
      windowed.class_name = "WindowedDecoderLayer", windowed.prefix = "window_";
      const Positions far = steps.add(full.span, full.theta);
      const bool alike = steps.alike(full.span, full.theta, windowed.span, windowed.theta);
      const Positions near =
          alike ? far : steps.add(windowed.span, windowed.theta, windowed.prefix);
      kinds.push_back(make_layer(windowed, near, embedded));
      kinds.push_back(make_layer(full, far, embedded));
    }
    add_stack(graph_, "model.layers", std::move(kinds), std::move(order));
  }

  StackedLayer make_layer(const Kind& kind, const Positions& positions, TensorId embedded) {
    StackedLayer layer(graph_, kind.class_name, embedded, kind.prefix);
    const Positions given{.rotation = layer.share(positions.rotation),
                          .bias = layer.share(positions.bias)};
    const auto [hidden, weights] = add_layer(layer.graph(), layer.carried(), given, kind.span);
    layer.graph().add_result("hidden_states", hidden);
    layer.graph().add_result("weights", weights, {.weights = true});
    return layer;
  }

  Attended add_layer(Graph& graph, TensorId x, const Positions& positions, const Span& span) {
    const bool qk_norm = config_.flag("qk_norm"), bias = config_.flag("mlp_bias");
    const Dimension F = config_.dimension("intermediate_size");
    const GroupedShape shape{E_,
                             H_,
                             kv_heads_of(config_),
                             D_,
                             config_.flag("bias"),
                             config_.flag("output_bias"),
                             qk_norm ? std::optional(config_.number("norm_eps")) : std::nullopt,
                             norms_plus_one()};
    const GroupedAttention attention(graph, "self_attn.", shape);
    FeedForward feed_forward{.activation = config_.choice("activation")};
    if (config_.flag("gated")) {
      feed_forward.gate = declare_linear(graph, "mlp.gate_proj", E_, F, bias);
    }
    feed_forward.up = declare_linear(graph, "mlp.up_proj", E_, F, bias);
    feed_forward.down = declare_linear(graph, "mlp.down_proj", F, E_, bias);
    const bool post_norms = config_.flag("post_norms");
    const NormModule before_attention = declare_norm(graph, "input_layernorm", E_);
    const NormModule after_attention = declare_norm(graph, "post_attention_layernorm", E_);
    std::optional<NormModule> before_mlp, after_mlp;
    if (post_norms) {
      before_mlp = declare_norm(graph, "pre_feedforward_layernorm", E_);
      after_mlp = declare_norm(graph, "post_feedforward_layernorm", E_);
    }

    const TensorId from = apply_norm(graph, before_attention, x, "attention_normed");
    const Scores scores{.scale = config_.optional_number("scale"),
                        .softcap = config_.optional_number("attn_logit_softcapping")};
    const Attended attended = attention.apply(graph, from, positions, span, scores, "attended");
    TensorId made = attended.output;
    if (post_norms) made = apply_norm(graph, after_attention, made, "normed_attended");
    const TensorId middle = add_residual(graph, x, made, "middle");
    const TensorId inner =
        apply_norm(graph, post_norms ? *before_mlp : after_attention, middle, "mlp_normed");
    TensorId fed = feed_forward.apply(graph, inner, "fed_forward");
    if (post_norms) fed = apply_norm(graph, *after_mlp, fed, "normed_fed_forward");
    return {add_residual(graph, middle, fed, "layer_output"), attended.weights};
  }

  const Config& config_;
  const Dimension E_, H_, D_;
  TensorId tokens_ = kNoTensor;
  Graph graph_;
};

Graph build(const Config& config) { return Builder(config).run(); }

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
         position_field("How positions are told apart: learned or sinusoidal vectors added to the "
                        "input, rotary embedding (rope), or biases on the scores: ALiBi, T5's "
                        "relative.",
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
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
