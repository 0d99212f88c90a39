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
};

/// What a training graph is given beside the layer's inputs and what the loss is held against.
struct TrainingInputs {
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

  TensorId class_weights = kNoTensor;  // (classes,)
  TensorId rates = kNoTensor;          // ops/optimizer.h
  std::vector<TensorId> before{};      // gradients of the calls before, in the order of
                                       // TrainingGraph::trained; empty in the first
  std::vector<Moment> moments{};
  std::vector<Noise> noise{};  // in the order in which PyTorch draws it
};

struct TrainingGraph {
  /// Its results are "loss" (1,) and, in evaluation, those of the layer; in training
  /// "gradient_norm" (1,), of all gradients before they are clipped, and the gradients
  /// (gradient_name()) in the order of `trained`.
  Graph graph{};
  TrainingInputs given{};
  TensorId loss = kNoTensor;
  TensorId norm = kNoTensor;
  std::vector<TensorId> trained{};    // parameters, in the order of the state dict
  std::vector<TensorId> gradients{};  // parallel to `trained`, as the optimizer reads them
};

/// Throw FieldError where the layer cannot be trained by this recipe: a loss that its result does
/// not fit, a frozen parameter that it has not, nothing left to train.
TrainingGraph training_graph(const Config& config, const Recipe& recipe,
                             Accumulation accumulation = {});
TrainingGraph evaluation_graph(const Config& config, const Recipe& recipe);

}  // namespace attnscope
