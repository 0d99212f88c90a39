#pragma once

#include "graph.h"

namespace attnscope {

/// The same graph without blocks: every repetition has steps, tensors and parameters of its own
/// ("encoder.layer.3.output.dense.weight"). Estimates read a block once; this is what runs.
Graph unroll(const Graph& graph);

}  // namespace attnscope
