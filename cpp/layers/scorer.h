#pragma once

// What the scorers share: how positions are scored, and everything after the score.

#include "layer.h"

namespace attnscope {

// Scores (B, T, 1), called "scores", of hidden states x (B, T, E). Each declares what it needs.

/// nn.Linear(E, 1), called "score".
TensorId add_linear_scores(Graph& graph, TensorId x, bool bias);

/// vᵀ tanh(W x + b): nn.Linear(E, attn_dim) and nn.Linear(attn_dim, 1), "project" and "score".
/// Bahdanau, Cho and Bengio 2015, https://arxiv.org/abs/1409.0473, in the query-free form of
/// Yang et al. 2016, "Hierarchical Attention Networks for Document Classification".
TensorId add_additive_scores(Graph& graph, TensorId x, Dimension attn_dim, bool bias);

/// wᵀ (tanh(V x) ⊙ sigmoid(U x)): "attention_v", "attention_u" and "attention_w". Ilse, Tomczak and
/// Welling 2018, "Attention-based Deep Multiple Instance Learning",
/// https://arxiv.org/abs/1802.04712, equation 9, where the positions are the instances of a bag.
TensorId add_gated_scores(Graph& graph, TensorId x, Dimension attn_dim, bool bias);

/// What stands between the sum of a time step's parts and its score: a learned factor after tanh
/// frees scores from [-1, 1].
enum class TimestepActivation { kNone, kTanh, kScaledTanh };

/// f(x W + b) of x (B, T, E): W (E, 1) where `content`, b (T, 1) where `position`. Raffel and Ellis
/// 2015, "Feed-Forward Networks with Attention Can Solve Some Long-Term Memory Problems",
/// https://arxiv.org/abs/1512.08756, as Keras tutorials write it.
class TimestepScores {
 public:
  struct Options {
    bool content = true, position = true;
    TimestepActivation activation = TimestepActivation::kTanh;
    std::string_view prefix = "";  // of the parameters' names: "weight", "bias", "factor"
  };

  /// Declares the parameters, which are those of `module` itself.
  TimestepScores(Graph& graph, int module, Dimension positions, Dimension features,
                 const Options& options);

  TensorId add(Graph& graph, TensorId x) const;

 private:
  TimestepActivation activation_;
  TensorId weight_ = kNoTensor, bias_ = kNoTensor, factor_ = kNoTensor;
};

/// Field `output` of the scorers. `weighted` offers the sequence times its weights as well.
Field scorer_output(bool weighted = false);

/// Weights (B, T): the softmax of scores (B, T, 1) over the sequence under a mask (B, T).
TensorId add_weights_of(Graph& graph, TensorId scores, TensorId mask);

/// Ends a scorer's graph as its `output` asks: the scores (B, T, 1) themselves; or weights (B, T),
/// their softmax over the sequence under an optional mask (B, T); or the hidden states (B, T, E)
/// weighted, or pooled under the weights to (B, E).
void add_pooling(Graph& graph, const Config& config, TensorId hidden_states, TensorId scores);

}  // namespace attnscope
