#pragma once

// A layer's learned values.

#include <cstdint>
#include <vector>

#include "../graph/graph.h"
#include "random.h"
#include "values.h"

namespace attnscope {

/// Values of every parameter, in the order of PyTorch's state dict: module by module.
using ParameterValues = std::vector<Values>;

/// The parameters of a graph in that order.
std::vector<TensorId> state_order(const Graph& graph);

/// The values that torch.manual_seed(seed) gives the same nn.Module. Of unrolled graphs.
ParameterValues initial_values(const Graph& graph, uint64_t seed);

/// The same of a generator that goes on afterwards.
ParameterValues initial_values(const Graph& graph, Generator& generator);

/// By TensorId; nullptr for tensors that are no parameters. A view has what it views.
using Parameters = std::vector<const Values*>;
Parameters parameters_of(const Graph& graph, const ParameterValues& values);

}  // namespace attnscope
