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

/// The names of what training keeps and counts.
inline constexpr std::string_view kClassWeights = "loss.weight";  // (classes,)
inline constexpr std::string_view kGradient = ".grad";            // behind a parameter's name
inline constexpr std::string_view kUpdates = "updates";
inline constexpr std::string_view kAccumulated = "accumulated";  // calls since the last update

struct TrainingGraph {
  /// Its results are "loss" (1,) and, in evaluation, those of the layer; in training
  /// "gradient_norm" (1,), of all gradients before they are clipped, and the gradients
  /// (gradient_name()) in the order of `trained`. Its states are the class weights, where there are
  /// any; in training further the gradients, which later calls of an accumulation add to, by the
  /// name of their parameter, "score.weight.grad", and with an update what the optimizer keeps as
  /// torch.optim calls it, "score.weight.exp_avg". A dropout's noise and the optimizer's rates
  /// (ops/optimizer.h) are filled before each run.
  Graph graph{};
  TensorId loss = kNoTensor;
  TensorId norm = kNoTensor;
  std::vector<TensorId> trained{};    // parameters, in the order of the state dict
  std::vector<TensorId> gradients{};  // parallel to `trained`, as the optimizer reads them
};

/// `masks`: whether the run may be given optional inputs. Throw FieldError where the layer cannot
/// be trained by this recipe: a loss that its result does not fit, a frozen parameter that it has
/// not, nothing left to train.
TrainingGraph training_graph(const Config& config, const Recipe& recipe,
                             Accumulation accumulation = {}, bool masks = true);
TrainingGraph evaluation_graph(const Config& config, const Recipe& recipe, bool masks = true);

}  // namespace attnscope
