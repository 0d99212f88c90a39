#pragma once

// The backward pass, as further steps of a layer's graph: reverse-mode automatic differentiation.

#include <span>
#include <vector>

#include "../graph/graph.h"

namespace attnscope {

/// A tensor of the graph, and the gradient of a scalar by it.
struct Seed {
  TensorId tensor;
  TensorId gradient;  // has the tensor's shape
};

/// Adds the steps that make the gradients of a scalar by the tensors `wanted`, parameters or inputs
/// of `graph`, of those by the tensors of `seeds`. `graph` has no calls (graph/unroll.h). Returns
/// the gradients in the order of `wanted`; kNoTensor where the seeds do not depend on it. A tensor
/// that several steps read gets the sum of their gradients, the last step's first. What no wanted
/// gradient needs is left out.
std::vector<TensorId> add_gradients(Graph& graph, std::span<const Seed> seeds,
                                    std::span<const TensorId> wanted);

}  // namespace attnscope
