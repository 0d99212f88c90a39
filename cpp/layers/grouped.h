#pragma once

// Attention with fewer heads of keys and values than of queries, and what it keeps of the past.
// Ainslie et al. 2023, https://arxiv.org/abs/2305.13245. Names as in Hugging Face's Llama.

#include <optional>

#include "../ops/norm.h"
#include "projections.h"

namespace attnscope {

struct GroupedShape {
  int64_t hidden_size, num_heads, num_kv_heads, head_dim;
  bool bias, output_bias;
  std::optional<double> qk_norm_eps;  // queries and keys are normed in each head
};

/// What positions do to queries, keys and scores.
struct Positions {
  TensorId rotation = kNoTensor;  // (2, T, D), turns queries and keys
  TensorId bias = kNoTensor;      // (H, T, S), added to the scores
};

/// A call's positions: `seq_len` new ones after `past_len`, of which the cache still has `cached`.
struct Span {
  int64_t seq_len, past_len, cached;
  std::optional<int64_t> window;
  int64_t full_every = 0;  // with a window: each n-th repetition of the block has none

  int64_t kv_len() const { return cached + seq_len; }
};

/// The span of the fields seq_len, past_len and window. A window needs no more of the past than
/// what its next query sees; with layers that see everything all of it is kept.
Span span_of(const Config& config, int64_t full_every = 0);

/// Adds what the field `position` asks for ("none", "rope", "alibi", "relative"); `like` lends its
/// number format. A table of relative positions is declared here, in
/// the module `prefix`.
Positions add_positions(Graph& graph, const Config& config, const Span& span, int64_t num_heads,
                        int64_t head_dim, TensorId like, bool is_causal,
                        const std::string& prefix = "");

class GroupedAttention {
 public:
  /// Declares q_proj, k_proj, v_proj, o_proj (and q_norm, k_norm) inside the module `prefix`.
  GroupedAttention(Graph& graph, const std::string& prefix, const GroupedShape& shape);

  /// x (B, T, E) -> (B, T, E), called `output`. With a past, adds the inputs past_key and
  /// past_value (B, G, cached, D), keys turned already.
  Attended apply(Graph& graph, TensorId x, const Positions& positions, const Span& span,
                 bool is_causal, std::optional<double> scale, std::string output) const;

 private:
  GroupedShape shape_;
  LinearModule query_, key_, value_, output_;
  std::optional<NormModule> query_norm_, key_norm_;
};

/// Throws FieldError unless num_kv_heads divides num_heads.
void check_groups(int64_t num_heads, int64_t num_kv_heads);
/// head_dim, or hidden_size / num_heads where it is null. Throws FieldError where that is no
/// integer.
int64_t head_dim_of(const Config& config);
/// Throws FieldError for an odd width of heads where positions turn pairs.
void check_rotation(const Config& config, std::string_view field, int64_t head_dim);

Field position_field(std::vector<std::string_view> choices, std::string_view fallback);

}  // namespace attnscope
