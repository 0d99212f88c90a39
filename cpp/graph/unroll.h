#pragma once

#include "graph.h"

namespace attnscope {

/// The same graph without calls: each repetition has steps, tensors and parameters of its own
/// ("encoder.layer.3.output.dense.weight"). Estimates read a body once; this is what runs.
Graph unroll(const Graph& graph);

}  // namespace attnscope
