// Multi-head latent attention: keys and values are made of a narrow latent, which is all that the
// cache keeps, with one rotated key that every head shares.
// DeepSeek-AI 2024, https://arxiv.org/abs/2405.04434, section 2.1. Names as in Hugging Face's
// DeepSeek-V3.

#include "../ops/concat.h"
#include "../ops/heads.h"
#include "../ops/norm.h"
#include "../ops/positions.h"
#include "../ops/split.h"
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

struct Modules {
  LinearModule q_a{}, query{}, kv_a{}, kv_b{}, output{};
  std::optional<NormModule> q_norm{};  // where queries have a latent
  NormModule kv_norm{};
};

Modules declare(Parameters& parameters, const Config& config) {
  const Sizes sizes = sizes_of(config);
  const bool bias = config.flag("bias");
  const double eps = config.number("norm_eps");
  const int64_t queries = sizes.H * (sizes.nope + sizes.rope);
  const auto linear = [&](const char* name, Dimension from, Dimension to, bool with_bias) {
    return declare_linear(parameters, name, from, to, with_bias);
  };
  Modules modules;
  if (sizes.query_rank) {
    modules.q_a = linear("q_a_proj", sizes.E, *sizes.query_rank, bias);
    modules.q_norm = declare_rms_norm(parameters, "q_a_layernorm", *sizes.query_rank, eps);
    modules.query = linear("q_b_proj", *sizes.query_rank, queries, false);
  } else {
    modules.query = linear("q_proj", sizes.E, queries, false);
  }
  modules.kv_a = linear("kv_a_proj_with_mqa", sizes.E, sizes.rank + sizes.rope, bias);
  modules.kv_norm = declare_rms_norm(parameters, "kv_a_layernorm", sizes.rank, eps);
  modules.kv_b = linear("kv_b_proj", sizes.rank, sizes.H * (sizes.nope + sizes.value), false);
  modules.output = linear("o_proj", sizes.H * sizes.value, sizes.E, bias);
  return modules;
}

class Forward {
 public:
  Forward(Graph& graph, const Modules& modules, const Config& config)
      : graph_(graph), modules_(modules), config_(config), sizes_(sizes_of(config)) {}

  void run() {
    const TensorId x = graph_.add_input("hidden_states", {sizes_.B, sizes_.T, sizes_.E});
    const auto table =
        make_op<RotaryTable>(sizes_.T, sizes_.rope, config_.number("rope_theta"), sizes_.past);
    rotation_ = graph_.add_step("rotation", "position", table, {x}, "rotation");

    const TensorId query = add_query(x);
    const auto [latent, turned] = add_latent(x);
    const TensorId expanded =
        split_heads(graph_, linear(modules_.kv_b, latent, "expanded"), sizes_.H, "expanded_heads");
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
    graph_.add_result("output", apply_linear(graph_, modules_.output, "combine", merged, "output"));
    graph_.add_result("weights", attended.weights, {.weights = true});
  }

 private:
  TensorId linear(const LinearModule& module, TensorId x, std::string_view name) {
    return apply_linear(graph_, module, "project", x, name);
  }
  /// The first `size` features of x and the others.
  std::pair<TensorId, TensorId> split(const char* name, TensorId x, int64_t size, const char* first,
                                      const char* others) {
    const int64_t whole = graph_.tensor(x).shape.back();
    const TensorId made = graph_.add_step(
        name, "project", make_op<Split>(Split::kLast, std::vector{size, whole - size}), {x},
        {first, others});
    return {made, made + 1};
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
      x = apply_norm(graph_, *modules_.q_norm, linear(modules_.q_a, x, "query_latent"),
                     "normed_query_latent");
    }
    const TensorId heads =
        split_heads(graph_, linear(modules_.query, x, "projected_query"), sizes_.H, "query_heads");
    const auto [plain, position] =
        split("split_query", heads, sizes_.nope, "plain_query", "position_query");
    return joined(plain, rotate(position, "query"), 3, "query");
  }

  struct Cached {
    TensorId latent;  // (B, S, rank)
    TensorId key;     // (B, 1, S, rope), turned
  };

  /// What the cache keeps, with the past before the new positions.
  Cached add_latent(TensorId x) {
    const auto [raw, position] = split("split_compressed", linear(modules_.kv_a, x, "compressed"),
                                       sizes_.rank, "raw_latent", "position_features");
    const TensorId latent = apply_norm(graph_, modules_.kv_norm, raw, "new_latent");
    const TensorId key = split_heads(graph_, position, {1, Axis::kKvHead}, "position_key");
    const Span span{sizes_.T, sizes_.past, sizes_.past};
    return {add_cached(graph_, "latent", latent, span),
            add_cached(graph_, "key", rotate(key, "key"), span)};
  }

  Graph& graph_;
  const Modules& modules_;
  const Config& config_;
  const Sizes sizes_;
  TensorId rotation_ = kNoTensor;
};

void forward(Graph& graph, const Modules& modules, const Config& config) {
  Forward(graph, modules, config).run();
}

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
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
