#pragma once

// What the scorers share: how positions are scored, and everything after the score.

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

// Scores (B, T, 1), called "scores", of hidden states x (B, T, E).

/// nn.Linear(E, 1), called "score".
struct LinearScores {
  LinearModule score;
};
LinearScores declare_linear_scores(Parameters& parameters, Dimension features, bool bias);
TensorId add_scores(Graph& graph, const LinearScores& scores, TensorId x);

/// vᵀ tanh(W x + b): nn.Linear(E, attn_dim) and nn.Linear(attn_dim, 1), "project" and "score".
/// Bahdanau, Cho and Bengio 2015, https://arxiv.org/abs/1409.0473, in the query-free form of
/// Yang et al. 2016, "Hierarchical Attention Networks for Document Classification".
struct AdditiveScores {
  LinearModule project, score;
};
AdditiveScores declare_additive_scores(Parameters& parameters, Dimension features,
                                       Dimension attn_dim, bool bias);
TensorId add_scores(Graph& graph, const AdditiveScores& scores, TensorId x);

/// wᵀ (tanh(V x) ⊙ sigmoid(U x)): "attention_v", "attention_u" and "attention_w". Ilse, Tomczak and
/// Welling 2018, "Attention-based Deep Multiple Instance Learning",
/// https://arxiv.org/abs/1802.04712, equation 9, where the positions are the instances of a bag.
struct GatedScores {
  LinearModule v, u, w;
};
GatedScores declare_gated_scores(Parameters& parameters, Dimension features, Dimension attn_dim,
                                 bool bias);
TensorId add_scores(Graph& graph, const GatedScores& scores, TensorId x);

/// What stands between the sum of a time step's parts and its score: a learned factor after tanh
/// frees scores from [-1, 1].
enum class TimestepActivation { kNone, kTanh, kScaledTanh };

/// f(x W + b) of x (B, T, E): W (E, 1) where `content`, b (T, 1) where `position`. Raffel and Ellis
/// 2015, "Feed-Forward Networks with Attention Can Solve Some Long-Term Memory Problems",
/// https://arxiv.org/abs/1512.08756, as Keras tutorials write it.
struct TimestepScores {
  struct Options {
    bool content = true, position = true;
    TimestepActivation activation = TimestepActivation::kTanh;
    std::string_view prefix = "";  // of the parameters' names: "weight", "bias", "factor"
  };

  TimestepActivation activation;
  Weight weight{}, bias{}, factor{};
};
/// The parameters are those of `module` itself.
TimestepScores declare_timestep_scores(Parameters& parameters, int module, Dimension positions,
                                       Dimension features, const TimestepScores::Options& options);
TensorId add_scores(Graph& graph, const TimestepScores& scores, TensorId x);

/// Field `output` of the scorers. `weighted` offers the sequence times its weights as well.
Field scorer_output(bool weighted = false);

/// Weights (B, T): the softmax of scores (B, T, 1) over the sequence under a mask (B, T).
TensorId add_weights_of(Graph& graph, TensorId scores, TensorId mask);

/// Ends a scorer's graph as its `output` asks: the scores (B, T, 1) themselves; or weights (B, T),
/// their softmax over the sequence under an optional mask (B, T); or the hidden states (B, T, E)
/// weighted, or pooled under the weights to (B, E).
void add_pooling(Graph& graph, const Config& config, TensorId hidden_states, TensorId scores);

}  // namespace attnscope
