#pragma once

// Layers one upon the other, each with parameters of its own.

#include "../graph/graph.h"

namespace attnscope {

/// A layer of a stack, on its way: its graph, and what of the graph around it each repetition is
/// given.
class StackedLayer {
 public:
  /// `carried`: of the graph around it, what the first layer is given. `prefix` begins the names of
  /// inputs that this kind of layer has for itself.
  StackedLayer(const Graph& around, Text class_name, TensorId carried, Text prefix = "");

  Graph& graph() { return graph_; }

  /// The input that is carried from layer to layer.
  TensorId carried() const { return graph_.inputs().front(); }

  /// An input for a tensor of the graph around it, the same in each repetition; kNoTensor for
  /// kNoTensor.
  TensorId share(TensorId given);

 private:
  friend void add_stack(Graph& graph, Text name, std::vector<StackedLayer> kinds,
                        std::vector<int> order);

  const Graph& around_;
  std::string class_name_, prefix_;
  Graph graph_;
  std::vector<std::pair<TensorId, TensorId>> given_;  // for an input, a tensor around it
};

/// Calls layers of these kinds in this order; the first result of each is carried. Inputs that
/// nothing has been given for become inputs of `graph`: an optional one, a mask, for all layers
/// whose shape it fits; of any other, the past of a cache, a stack of one for each layer, called
/// with an "s" at its end.
void add_stack(Graph& graph, Text name, std::vector<StackedLayer> kinds, std::vector<int> order);

}  // namespace attnscope
