#pragma once

// What the scorers share: everything after the score.

#include "layer.h"

namespace attnscope {

/// Field `output` of the scorers. `weighted` offers the sequence times its weights as well.
Field scorer_output(bool weighted = false);

/// Ends a scorer's graph as its `output` asks: the scores (B, T, 1) themselves; or weights (B, T),
/// their softmax over the sequence under an optional mask (B, T); or the hidden states (B, T, E)
/// weighted, or pooled under the weights to (B, E).
void add_pooling(Graph& graph, const Config& config, TensorId hidden_states, TensorId scores);

}  // namespace attnscope
