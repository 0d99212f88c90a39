#pragma once

// Attention with fewer heads of keys and values than of queries, and a cache of the past.
// Ainslie et al. 2023, https://arxiv.org/abs/2305.13245. Names as in Hugging Face's Llama.

#include <optional>

#include "../ops/norm.h"
#include "positions.h"
#include "projections.h"

namespace attnscope {

/// The step after which queries and keys are normed: over all heads together, in each head, or in
/// each head once positions have turned it.
enum class NormAfter { kProjection, kSplit, kRotation };

struct GroupedShape {
  Dimension hidden_size, num_heads, num_kv_heads, head_dim;
  bool bias, output_bias;
  std::optional<double> qk_norm_eps;  // queries and keys are normed
  bool qk_norm_plus_one = false;      // multiplied by 1 + weight
  NormAfter qk_norm_after = NormAfter::kSplit;
  bool rope_interleave = false;  // positions turn features 2i and 2i + 1
};

/// How scores are made.
struct Scores {
  bool is_causal = true;
  std::optional<double> scale{}, softcap{};  // as in AttentionOptions
};

class GroupedAttention {
 public:
  /// Declares q_proj, k_proj, v_proj, o_proj (and q_norm, k_norm) inside the module `prefix`.
  GroupedAttention(Parameters& parameters, std::string_view prefix, const GroupedShape& shape);

  /// x (B, T, E) -> (B, T, E), called `output`. With a past, adds the inputs past_key and
  /// past_value (B, G, cached, D), of which keys are already rotated to their positions.
  Attended apply(Graph& graph, TensorId x, const Positions& positions, const Span& span,
                 const Scores& scores, std::string_view output) const;

 private:
  GroupedShape shape_;
  LinearModule query_, key_, value_, output_;
  std::optional<NormModule> query_norm_, key_norm_;
};

/// head_dim, or hidden_size / num_heads where it is null. Throws FieldError where that is no
/// integer.
Dimension head_dim_of(const Config& config);
}  // namespace attnscope
