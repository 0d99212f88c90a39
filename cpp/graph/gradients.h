#pragma once

// How an operation says its gradients: as further steps of the graph.

#include <memory>
#include <utility>
#include <vector>

#include "graph.h"

namespace attnscope {

/// One step, seen from behind: the gradient of a scalar by its output is there, and the operation
/// adds the steps that make those by its inputs of it.
class GradientBuilder {
 public:
  /// `step` is one of `graph`; `gradient` is that by its output; `needs` says of each of its inputs
  /// whether a gradient by it is asked for.
  GradientBuilder(Graph& graph, Step step, TensorId gradient, std::vector<bool> needs)
      : graph_(graph),
        step_(std::move(step)),
        gradient_(gradient),
        needs_(std::move(needs)),
        given_(step_.inputs.size(), kNoTensor) {}

  const OpPtr& op() const { return step_.op; }

  /// The i-th input; kNoTensor past the last one.
  TensorId input(size_t i) const { return i < step_.inputs.size() ? step_.inputs[i] : kNoTensor; }
  const std::vector<TensorId>& inputs() const { return step_.inputs; }
  TensorId output() const { return step_.output; }
  /// Of the scalar by the output; it has the output's shape.
  TensorId gradient() const { return gradient_; }

  /// Whether the gradient by the i-th input is asked for; false past the last input.
  bool needs(size_t i) const { return i < needs_.size() && needs_[i]; }

  /// A copy: steps that are added move the graph's own.
  Shape shape(TensorId id) const { return graph_.tensor(id).shape; }

  /// Adds a step, whose Step::gradient_of is this one; returns what it makes.
  TensorId add(const OpPtr& op, Ids inputs);
  template <class Operation, class... Arguments>
  TensorId add(Ids inputs, Arguments&&... arguments) {
    return add(make_op<Operation>(std::forward<Arguments>(arguments)...), inputs);
  }

  /// Says which tensor is the gradient by the i-th input.
  void give(size_t i, TensorId gradient) { given_[i] = gradient; }

  /// The gradients that were given, by input; kNoTensor where none was.
  const std::vector<TensorId>& given() const { return given_; }

 private:
  Graph& graph_;
  const Step step_;
  const TensorId gradient_;
  const std::vector<bool> needs_;
  std::vector<TensorId> given_;
  int added_ = 0;
};

}  // namespace attnscope
