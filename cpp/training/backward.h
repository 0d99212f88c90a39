#pragma once

// The backward pass, as further steps of a layer's graph: reverse-mode automatic differentiation.

#include <span>
#include <string>
#include <vector>

#include "../graph/unroll.h"
#include "../layers/layer.h"

namespace attnscope {

/// A tensor of the graph, and the gradient of a scalar by it.
struct Seed {
  TensorId tensor;
  TensorId gradient;  // has the tensor's shape
};

/// Adds the steps that make the gradients of a scalar by the tensors `wanted`, parameters, inputs
/// or what steps of `graph` make, of those by the tensors of `seeds`. `graph` has no loops
/// (graph/unroll.h). Returns the gradients in the order of `wanted`; kNoTensor where the seeds do
/// not depend on it. A tensor that several steps read gets the sum of their gradients, the last
/// step's first. What no wanted gradient needs is left out.
///
/// Activation checkpointing (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost",
/// https://arxiv.org/abs/1604.06174): before the gradients of the iterations `run_again`, their
/// steps are added once more, as far as these gradients read what they make. Nothing within them is
/// kept from the forward pass then, and the steps of these gradients are behind the steps that run
/// again (Step::gradient_of).
std::vector<TensorId> add_gradients(Graph& graph, std::span<const Seed> seeds,
                                    std::span<const TensorId> wanted,
                                    std::span<const Iteration> run_again = {});

/// A layer with its backward pass behind it: the gradients of a scalar by all parameters and all
/// inputs of numbers, of those by the results that `from` names, which are further inputs. What
/// they do not depend on has none. Its results are those of the layer that gradients are given by,
/// and after them the gradients: by inputs, by parameters, by what steps make. Throws FieldError
/// for an unknown result, and where there is no gradient at all.
Graph backward_graph(const Config& config, const std::vector<std::string>& from);

/// The same of a layer's graph without loops, and besides by `tensors`, which its steps make.
/// Throws FieldError where the results do not depend on one of those.
Graph backward_graph(Graph unrolled, const std::vector<std::string>& from,
                     std::span<const TensorId> tensors);

/// What the gradient by a result, an input or a parameter of this name is called, where it is given
/// or handed out.
std::string gradient_name(const std::string& name);

}  // namespace attnscope
