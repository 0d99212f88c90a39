#pragma once

// A training step as a graph: forward, loss, backward and update.

#include <string>
#include <vector>

#include "../layers/layer.h"
#include "backward.h"
#include "recipe.h"

namespace attnscope {

/// Which call it is of those whose gradients make one update.
struct Accumulation {
  bool first = true;  // no gradients are there yet
  bool last = true;   // the update follows

  bool operator==(const Accumulation&) const = default;
};

struct TrainingGraph {
  /// What an optimizer keeps for a parameter; zeros before the first step.
  struct Moment {
    std::string name;  // as torch.optim calls it: "exp_avg"
    TensorId tensor;
    size_t parameter;  // index into `trained`
  };

  /// Of a dropout.
  struct Noise {
    TensorId tensor;
    double share;  // of it that is 0
  };

  /// Its results are the loss (1,) and, in evaluation, those of the layer; in training the norm of
  /// all gradients (1,), and the gradients in the order of `trained`.
  Graph graph{};
  TensorId loss = kNoTensor;
  TensorId norm = kNoTensor;           // of all gradients, before they are clipped
  TensorId class_weights = kNoTensor;  // (classes,)
  TensorId rates = kNoTensor;          // ops/optimizer.h
  std::vector<TensorId> trained{};     // parameters, in the order of the state dict
  std::vector<TensorId> gradients{};   // parallel to `trained`, as the optimizer reads them
  std::vector<TensorId> before{};      // parallel; those of the calls before; empty in the first
  std::vector<Moment> moments{};
  std::vector<Noise> noise{};  // in the order in which PyTorch draws it
};

/// Throw FieldError where the layer cannot be trained by this recipe: a loss that its result does
/// not fit, a frozen parameter that it has not, nothing left to train.
TrainingGraph training_graph(const Config& config, const Recipe& recipe,
                             Accumulation accumulation = {});
TrainingGraph evaluation_graph(const Config& config, const Recipe& recipe);

}  // namespace attnscope
