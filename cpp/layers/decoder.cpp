// A stack of decoder layers with a head over the vocabulary: GPT-2, Llama and their kin, with the
// names of Hugging Face's LlamaForCausalLM.
// Radford et al. 2019; Touvron et al. 2023, https://arxiv.org/abs/2302.13971.

#include "../ops/arithmetic.h"
#include "fields.h"
#include "grouped.h"
#include "transformer.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_groups(config.integer("num_heads"), kv_heads_of(config));
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
                  config.integer("past_len") + config.integer("seq_len"));
}

class Builder {
 public:
  explicit Builder(const Config& config)
      : config_(config),
        span_(span_of(config, config.optional_integer("full_every").value_or(0))),
        E_(config.integer("hidden_size")),
        H_(config.integer("num_heads")),
        D_(head_dim_of(config)) {}

  Graph run() {
    const int64_t V = config_.integer("vocab_size");
    const EmbeddingModule words = declare_embedding(graph_, "model.embed_tokens", V, E_);
    const TensorId embedded = add_embeddings(words, V);
    const Positions positions =
        add_positions(graph_, config_, span_, {H_, D_}, embedded, /*is_causal=*/true, "model.",
                      config_.optional_number("rope_local_base_freq"));
    graph_.begin_block("model.layers", "DecoderLayer", config_.integer("num_layers"), embedded);
    const auto [hidden, weights] = add_layer(embedded, positions);
    graph_.end_block(hidden);
    const TensorId normed =
        apply_norm(graph_, declare_norm("model.norm", E_), hidden, "normed_hidden");
    LinearModule head{.weight = words.weight};
    if (!config_.flag("tie_embeddings")) head = declare_linear(graph_, "lm_head", E_, V, false);
    graph_.add_result("output", add_head(head, normed));
    graph_.add_result("weights", weights);
    return std::move(graph_);
  }

 private:
  NormModule declare_norm(Text name, int64_t features) {
    const double eps = config_.number("norm_eps");
    if (config_.choice("norm") == "layer_norm") {
      return declare_layer_norm(graph_, name, features, eps);
    }
    return declare_rms_norm(graph_, name, features, eps, norms_plus_one());
  }
  bool norms_plus_one() const { return config_.choice("norm") == "rms_norm_plus_one"; }

  TensorId add_head(const LinearModule& head, TensorId normed) {
    const auto cap = config_.optional_number("final_logit_softcapping");
    const TensorId logits =
        apply_linear(graph_, head, "classify", normed, cap ? "uncapped_logits" : "logits");
    return cap ? add_softcap(graph_, "classify", logits, *cap, "logits", "logits") : logits;
  }

  TensorId add_embeddings(const EmbeddingModule& words, int64_t V) {
    const auto learned = declare_position_vectors(graph_, config_, "model.embed_positions", E_);
    const TensorId tokens =
        graph_.add_integer_input("tokens", {config_.integer("batch_size"), span_.seq_len}, V);
    const char* placed = has_position_vectors(config_) ? "word_vectors" : "hidden_states";
    const auto scale = config_.optional_number("embedding_scale");
    TensorId x = apply_embedding(graph_, words, tokens, scale ? "unscaled_words" : placed);
    if (scale) {
      const auto by_scale = std::make_shared<const Scale>(*scale);
      x = graph_.add_step("scale_words", "embed", by_scale, {x}, placed);
    }
    return add_position_vectors(graph_, config_, span_, learned, x, "hidden_states");
  }

  Attended add_layer(TensorId x, const Positions& positions) {
    const bool qk_norm = config_.flag("qk_norm"), bias = config_.flag("mlp_bias");
    const int64_t F = config_.integer("intermediate_size");
    const GroupedShape shape{E_,
                             H_,
                             kv_heads_of(config_),
                             D_,
                             config_.flag("bias"),
                             config_.flag("output_bias"),
                             qk_norm ? std::optional(config_.number("norm_eps")) : std::nullopt,
                             norms_plus_one()};
    const GroupedAttention attention(graph_, "self_attn.", shape);
    FeedForward feed_forward{.activation = config_.choice("activation")};
    if (config_.flag("gated")) {
      feed_forward.gate = declare_linear(graph_, "mlp.gate_proj", E_, F, bias);
    }
    feed_forward.up = declare_linear(graph_, "mlp.up_proj", E_, F, bias);
    feed_forward.down = declare_linear(graph_, "mlp.down_proj", F, E_, bias);
    const bool post_norms = config_.flag("post_norms");
    const NormModule before_attention = declare_norm("input_layernorm", E_);
    const NormModule after_attention = declare_norm("post_attention_layernorm", E_);
    std::optional<NormModule> before_mlp, after_mlp;
    if (post_norms) {
      before_mlp = declare_norm("pre_feedforward_layernorm", E_);
      after_mlp = declare_norm("post_feedforward_layernorm", E_);
    }

    const TensorId from = apply_norm(graph_, before_attention, x, "attention_normed");
    const Scores scores{.scale = config_.optional_number("scale"),
                        .softcap = config_.optional_number("attn_logit_softcapping")};
    const Attended attended = attention.apply(graph_, from, positions, span_, scores, "attended");
    TensorId made = attended.output;
    if (post_norms) made = apply_norm(graph_, after_attention, made, "normed_attended");
    const TensorId middle = add_residual(graph_, x, made, "middle");
    const TensorId inner =
        apply_norm(graph_, post_norms ? *before_mlp : after_attention, middle, "mlp_normed");
    TensorId fed = feed_forward.apply(graph_, inner, "fed_forward");
    if (post_norms) fed = apply_norm(graph_, *after_mlp, fed, "normed_fed_forward");
    return {add_residual(graph_, middle, fed, "layer_output"), attended.weights};
  }

  const Config& config_;
  const Span span_;
  const int64_t E_, H_, D_;
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
         fields::dimension("max_positions", "Positions that have a learned vector.", 1024),
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
         position_field({"none", "learned", "sinusoidal", "rope", "alibi", "relative"}, "rope"),
         fields::rope_theta(),
         optional(number_field("rope_local_base_freq",
                               "With a window: rope_theta of the layers that have it (Gemma 3); "
                               "null: the same.",
                               10000, 1, 1e12)),
         boolean_field("qk_norm", "Whether queries and keys are normed in each head (RMS).", false),
         boolean_field("bias", "Whether queries, keys and values get a bias.", false),
         boolean_field("output_bias", "Whether attention's output projection adds a bias.", false),
         boolean_field("mlp_bias", "Whether the feed-forward network's layers add a bias.", false),
         fields::window(),
         optional(integer_field("full_every",
                                "With a window: each n-th layer attends to everything "
                                "(Gemma 2 and 3); null: none does.",
                                1, 1, fields::kMaxLayers)),
         fields::scale(),
         optional(number_field("attn_logit_softcapping",
                               "Bound within which tanh keeps the scores, before the mask (Gemma "
                               "2); null: none.",
                               50, 0.001, 1e6)),
         optional(number_field("final_logit_softcapping",
                               "Bound within which tanh keeps the logits (Gemma 2); null: none.",
                               30, 0.001, 1e6)),
         optional(number_field("embedding_scale",
                               "What the embeddings are multiplied by (Gemma: the root of "
                               "hidden_size); null: nothing.",
                               1, 0, 1e6)),
         boolean_field("tie_embeddings", "Whether the head's weight is the embedding's.", false),
         fields::dtype()},
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
