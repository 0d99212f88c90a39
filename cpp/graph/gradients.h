#pragma once

// How an operation says its gradients: as further steps of the graph.

#include <memory>
#include <utility>
#include <vector>

#include "graph.h"

namespace attnscope {

/// One step, seen from behind: the gradients of a scalar by its outputs are there, and the
/// operation adds the steps that make those by its inputs of them.
class GradientBuilder {
 public:
  /// `step` is one of `graph`; `gradients` are those by its outputs, kNoTensor by those on which
  /// the scalar does not depend; `needs` says of each of its inputs whether a gradient by it is
  /// asked for.
  GradientBuilder(Graph& graph, Step step, std::vector<TensorId> gradients, Flags needs)
      : graph_(graph),
        step_(std::move(step)),
        gradients_(std::move(gradients)),
        needs_(std::move(needs)),
        given_(step_.inputs.size(), kNoTensor) {}

  const OpPtr& op() const { return step_.op; }

  /// The i-th input; kNoTensor past the last one.
  TensorId input(size_t i) const { return i < step_.inputs.size() ? step_.inputs[i] : kNoTensor; }
  const std::vector<TensorId>& inputs() const { return step_.inputs; }
  TensorId output(size_t i = 0) const { return step_.output + static_cast<TensorId>(i); }
  /// Of the scalar by an output, which has the same shape; kNoTensor where it does not depend on
  /// that one. There is always one by the output of an operation that makes one.
  TensorId gradient(size_t i = 0) const { return gradients_[i]; }

  /// Whether the gradient by the i-th input is asked for; false past the last input.
  bool needs(size_t i) const { return i < needs_.size() && needs_[i]; }

  /// A copy: steps that are added move the graph's own.
  Shape shape(TensorId id) const { return graph_.tensor(id).shape; }

  /// Adds a step, whose Step::gradient_of is this one; returns what it makes, of several the first:
  /// the others follow it.
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
  const std::vector<TensorId> gradients_;
  const Flags needs_;
  std::vector<TensorId> given_;
  int made_ = 0;  // tensors
};

}  // namespace attnscope
