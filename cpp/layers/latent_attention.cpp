// Multi-head latent attention: keys and values are made of a narrow latent, which is all that the
// cache keeps, with one rotated key that every head shares.
// DeepSeek-AI 2024, https://arxiv.org/abs/2405.04434, section 2.1. Names as in Hugging Face's
// DeepSeek-V3.

#include "../ops/concat.h"
#include "../ops/heads.h"
#include "../ops/norm.h"
#include "../ops/positions.h"
#include "cache.h"
#include "fields.h"
#include "projections.h"

namespace attnscope {
namespace {

struct Sizes {
  Dimension B, T, past, E, H;
  Dimension rank, nope, rope,
      value;  // of the latent; of a head's features without and with position
  std::optional<int64_t> query_rank;
};

Sizes sizes_of(const Config& config) {
  return {config.dimension("batch_size"),       config.dimension("seq_len"),
          config.integer("past_len"),           config.dimension("hidden_size"),
          config.dimension("num_heads"),        config.dimension("kv_lora_rank"),
          config.dimension("qk_nope_head_dim"), config.dimension("qk_rope_head_dim"),
          config.dimension("v_head_dim"),       config.optional_integer("q_lora_rank")};
}

void check(const Config& config) {
  const Dimension rope = config.dimension("qk_rope_head_dim");
  if (rope % 2 == 0) return;
  refuse("qk_rope_head_dim", "qk_rope_head_dim must be even, got {}", {rope});
}

class Builder {
 public:
  explicit Builder(const Config& config) : config_(config), sizes_(sizes_of(config)) {}

  Graph run() {
    declare();
    const TensorId x = graph_.add_input("hidden_states", {sizes_.B, sizes_.T, sizes_.E});
    const auto table =
        make_op<RotaryTable>(sizes_.T, sizes_.rope, config_.number("rope_theta"), sizes_.past);
    rotation_ = graph_.add_step("rotation", "position", table, {x}, "rotation");

    const TensorId query = add_query(x);
    const auto [latent, turned] = add_latent(x);
    const TensorId expanded =
        split_heads(graph_, linear(kv_b_, latent, "expanded"), sizes_.H, "expanded_heads");
    const TensorId plain_key = slice(expanded, 0, sizes_.nope, "plain_key");
    const TensorId value = slice(expanded, sizes_.nope, sizes_.nope + sizes_.value, "value", true);
    TensorId shared = turned;
    if (sizes_.H > 1) {
      shared = graph_.add_step("share_key", "project", make_op<RepeatHeads>(sizes_.H), {turned},
                               "shared_key");
    }
    const TensorId key = joined(plain_key, shared, 3, "key");
    const AttentionOptions options{.band = {.is_causal = true, .offset = sizes_.past}};
    const Attended attended = add_attention(graph_, query, key, value, options, "context");
    const TensorId merged = merge_heads(graph_, attended.output, "merged");
    graph_.add_result("output", apply_linear(graph_, output_, "combine", merged, "output"));
    graph_.add_result("weights", attended.weights, {.weights = true});
    return std::move(graph_);
  }

 private:
  void declare() {
    const bool bias = config_.flag("bias");
    const double eps = config_.number("norm_eps");
    const int64_t queries = sizes_.H * (sizes_.nope + sizes_.rope);
    if (sizes_.query_rank) {
      q_a_ = declare_linear(graph_, "q_a_proj", sizes_.E, *sizes_.query_rank, bias);
      q_norm_ = declare_rms_norm(graph_, "q_a_layernorm", *sizes_.query_rank, eps);
      query_ = declare_linear(graph_, "q_b_proj", *sizes_.query_rank, queries, false);
    } else {
      query_ = declare_linear(graph_, "q_proj", sizes_.E, queries, false);
    }
    kv_a_ = declare_linear(graph_, "kv_a_proj_with_mqa", sizes_.E, sizes_.rank + sizes_.rope, bias);
    kv_norm_ = declare_rms_norm(graph_, "kv_a_layernorm", sizes_.rank, eps);
    kv_b_ = declare_linear(graph_, "kv_b_proj", sizes_.rank,
                           sizes_.H * (sizes_.nope + sizes_.value), false);
    output_ = declare_linear(graph_, "o_proj", sizes_.H * sizes_.value, sizes_.E, bias);
  }

  TensorId linear(const LinearModule& module, TensorId x, std::string_view name) {
    return apply_linear(graph_, module, "project", x, name);
  }
  TensorId slice(TensorId x, int64_t begin, int64_t end, std::string_view name,
                 bool copied = false) {
    return graph_.add_step(format("take_{}", {name}), "project",
                           make_op<Slice>(Slice::kLast, begin, end, copied), {x}, name);
  }
  TensorId joined(TensorId a, TensorId b, int dimension, std::string_view name) {
    return graph_.add_step(format("join_{}", {name}), "project", make_op<Concat>(dimension), {a, b},
                           name);
  }
  TensorId rotate(TensorId x, std::string_view name) {
    const bool interleaved = config_.flag("rope_interleave");
    const OpPtr& op = interleaved ? shared_op<Rotate, true>() : shared_op<Rotate>();
    return graph_.add_step(format("rotate_{}", {name}), "position", op, {x, rotation_},
                           format("rotated_{}", {name}));
  }

  TensorId add_query(TensorId x) {
    if (sizes_.query_rank) {
      x = apply_norm(graph_, q_norm_, linear(q_a_, x, "query_latent"), "normed_query_latent");
    }
    const TensorId heads =
        split_heads(graph_, linear(query_, x, "projected_query"), sizes_.H, "query_heads");
    const TensorId plain = slice(heads, 0, sizes_.nope, "plain_query");
    const TensorId turned =
        rotate(slice(heads, sizes_.nope, sizes_.nope + sizes_.rope, "position_query"), "query");
    return joined(plain, turned, 3, "query");
  }

  struct Cached {
    TensorId latent;  // (B, S, rank)
    TensorId key;     // (B, 1, S, rope), turned
  };

  /// What the cache keeps, with the past before the new positions.
  Cached add_latent(TensorId x) {
    const TensorId compressed = linear(kv_a_, x, "compressed");
    const TensorId latent =
        apply_norm(graph_, kv_norm_, slice(compressed, 0, sizes_.rank, "raw_latent"), "new_latent");
    const TensorId key = split_heads(
        graph_, slice(compressed, sizes_.rank, sizes_.rank + sizes_.rope, "position_features"),
        {1, Axis::kKvHead}, "position_key");
    const Span span{sizes_.T, sizes_.past, sizes_.past};
    return {add_cached(graph_, "latent", latent, span),
            add_cached(graph_, "key", rotate(key, "key"), span)};
  }

  const Config& config_;
  const Sizes sizes_;
  Graph graph_;
  LinearModule q_a_, query_, kv_a_, kv_b_, output_;
  NormModule q_norm_, kv_norm_;
  TensorId rotation_ = kNoTensor;
};

Graph build(const Config& config) { return Builder(config).run(); }

const Layer kLayer = {
    .name = "latent_attention",
    .title = "Latent attention (MLA)",
    .group = "attention",
    .place = 380,
    .summary =
        "Keys and values grow out of a narrow latent per position, the only thing that the KV "
        "cache keeps.",
    .pytorch_class = "LatentAttention",
    .fields = {fields::batch_size(1), fields::seq_len(), fields::past_len(), fields::hidden_size(),
               fields::num_heads(),
               optional(fields::dimension(
                   "q_lora_rank", "Width of the queries' latent; null: queries have none.", 1)),
               fields::dimension("kv_lora_rank", "Width of the latent of keys and values.", 128),
               fields::dimension("qk_nope_head_dim",
                                 "Features of each query and key head without position.", 64),
               fields::dimension("qk_rope_head_dim",
                                 "Features of each query head, and of the one shared key, that "
                                 "positions turn.",
                                 32),
               fields::dimension("v_head_dim", "Features of each value head.", 64),
               fields::rope_theta(),
               boolean_field("rope_interleave",
                             "Whether positions turn neighbouring features, or feature k together "
                             "with k + qk_rope_head_dim / 2.",
                             true),
               fields::norm_eps(1e-6),
               boolean_field("bias", "Whether the projections from and to hidden_size add a bias.",
                             false),
               fields::dtype()},
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
