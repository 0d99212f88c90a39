#pragma once

// What the dot-product attentions share: everything between projected heads and combined heads.

#include "layer.h"

namespace attnscope {

/// softmax(query keyᵀ / sqrt(D) + mask) value; adds the optional input `mask` (T, S) and the step
/// outputs "scores" and "weights" (B, H, T, S).
///
///   query (B, H, T, D), key (B, H, S, D), value (B, H, S, D) -> (B, H, T, D), called `output`
///
/// Vaswani et al. 2017, "Attention Is All You Need", https://arxiv.org/abs/1706.03762, equation 1.
struct Attended {
  TensorId output;
  TensorId weights;
};
Attended add_attention(Graph& graph, TensorId query, TensorId key, TensorId value,
                       std::string output);

}  // namespace attnscope
