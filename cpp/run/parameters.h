#pragma once

// A layer's learned values.

#include <cstdint>
#include <vector>

#include "../graph/graph.h"
#include "values.h"

namespace attnscope {

/// Indexed by TensorId; empty for tensors that are no parameters.
using Parameters = std::vector<Values>;

/// The values that torch.manual_seed(seed) gives the same nn.Module: drawn module by module, in the
/// order of declaration.
Parameters initial_parameters(const Graph& graph, uint64_t seed);

}  // namespace attnscope
