#pragma once

// What the dot-product attentions share: everything between projected queries, keys, values and the
// combined values.

#include <optional>

#include "../ops/dropout.h"
#include "../ops/softmax.h"
#include "layer.h"

namespace attnscope {

struct AttentionOptions {
  Band band{};
  std::optional<double> scale{};    // 1 / sqrt(D) when absent
  std::optional<double> softcap{};  // what scores stay within, before bias and mask
  TensorId bias = kNoTensor;        // (H, T, S), added to the scores
  DropoutModule dropout{};          // of the weights
  std::string mask = "mask";        // name of the optional input
  TensorId key_mask = kNoTensor;    // or one that is there: (B, S), of the keys
  std::string prefix{};             // of the tensors' names, where a layer attends twice
};

struct Attended {
  TensorId output;
  TensorId weights;  // before dropout
};

/// softmax(softcap(query keyᵀ scale) + bias + mask) value; adds the step outputs "scores" and
/// "weights" (B, H, T, S) and, where there is no mask of the keys, the optional input `mask`, which
/// broadcasts to the weights.
///
///   query (B, H, T, D), key (B, G, S, D), value (B, G, S, V) -> (B, H, T, V), called `output`;
///   or without the dimension of heads. H / G query heads share a head of keys and values:
///   Ainslie et al. 2023, https://arxiv.org/abs/2305.13245.
///
/// Vaswani et al. 2017, "Attention Is All You Need", https://arxiv.org/abs/1706.03762, equation 1.
Attended add_attention(Graph& graph, TensorId query, TensorId key, TensorId value,
                       const AttentionOptions& options, std::string_view output);

/// Field `num_heads` must divide the field of this name, or, of two directions side by side, twice
/// that field. Throws FieldError.
void check_heads_divide(const Config& config, const char* field, int64_t directions = 1);

/// num_kv_heads, or num_heads where it is null.
Dimension kv_heads_of(const Config& config);

/// kv_len, or seq_len where it is null.
Dimension kv_len_of(const Config& config);

/// Throws FieldError unless num_kv_heads divides num_heads.
void check_groups(int64_t num_heads, int64_t num_kv_heads);

/// The band that the fields is_causal and window ask for; the first query stands at position
/// `offset`.
Band band_of(const Config& config, int64_t offset);

}  // namespace attnscope
