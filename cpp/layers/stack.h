#pragma once

// Layers one upon the other, each with parameters of its own.

#include "../graph/graph.h"

namespace attnscope {

/// A layer of a stack while it is being built: its own graph, and which tensors of the graph around
/// it each iteration is given.
class StackedLayer {
 public:
  /// `list`, `kind`: of the parameters of the graph around it. `carried`: the tensor of that graph
  /// that the first layer is given; each further layer is given what the one before has made.
  /// `prefix` begins the names of inputs that only this kind of layer has; `mask_prefix` that of
  /// its mask, where kinds have masks of several shapes.
  StackedLayer(const Graph& around, int list, size_t kind, TensorId carried,
               std::string_view prefix = "", std::string_view mask_prefix = "");

  Graph& graph() { return graph_; }

  /// The input that is carried from layer to layer.
  TensorId carried() const { return graph_.inputs().front(); }

  /// An input for a tensor of the graph around it, the same in each iteration; kNoTensor for
  /// kNoTensor.
  TensorId share(TensorId given);

 private:
  friend std::vector<TensorId> add_stack(Graph& graph, int list, std::vector<StackedLayer> kinds);

  const Graph& around_;
  std::string prefix_, mask_prefix_;
  Graph graph_;
  std::vector<std::pair<TensorId, TensorId>> given_;  // for an input, a tensor around it
};

/// A loop through the layers of a list of the graph's parameters, `kinds` being the list's; the
/// first result of each is carried to the next. Returns the last one's results.
/// Inputs that nothing has been given for become inputs of `graph`. An optional one, a mask,
/// becomes one input for all layers whose shape it fits. Any other, such as the past of a cache,
/// becomes a stack with a part for each layer, named with an "s" at its end: past_keys.
std::vector<TensorId> add_stack(Graph& graph, int list, std::vector<StackedLayer> kinds);

}  // namespace attnscope
