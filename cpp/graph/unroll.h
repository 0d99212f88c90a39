#pragma once

#include "graph.h"

namespace attnscope {

/// The same graph without calls: each repetition has steps, tensors and parameters of its own
/// ("encoder.layer.3.output.dense.weight"). Estimates read a body once; this is what runs.
Graph unroll(const Graph& graph);

/// What runs in training: operations that behave otherwise then (Op::in_training) do, and each has
/// a tensor more to read, the noise of its step's output, called "dropout.noise" after "dropout".
Graph unroll_for_training(const Graph& graph);

}  // namespace attnscope
