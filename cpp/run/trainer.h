#pragma once

// Trains a model: runs the graphs of training/training.h, and keeps what the optimizer and dropout
// need from step to step.

#include <memory>
#include <string>
#include <vector>

#include "../training/training.h"
#include "model.h"

namespace attnscope {

class Trainer {
 public:
  /// Trains `model`, whose linear layers must be stored as float32, from its present weights on.
  /// Throws FieldError for a recipe that does not fit it, and where a step needs more than the
  /// model's memory limit.
  Trainer(std::unique_ptr<Model> model, Recipe recipe);

  const Recipe& recipe() const { return recipe_; }
  const Model& model() const { return *model_; }
  Model& model() { return *model_; }

  /// Of the next step(), or of evaluate(), with inputs of these shapes, as Model::plan() has it.
  PlanPtr step_plan(const std::vector<GivenShape>& given = {});
  PlanPtr evaluation_plan(const std::vector<GivenShape>& given = {});

  struct Step {
    double loss, gradient_norm;  // the norm before it is clipped
    double lr;                   // with which the parameters were updated
    bool updated;                // false in all but the last call of an accumulation
  };

  /// Forward, backward and, after as many calls as the recipe says, the update. `inputs` are those
  /// of the plan's graph, all finite. Throws FieldError when the loss or the norm of the gradients
  /// is not finite: everything is then as it was before. A batch whose labels are all ignored has
  /// the mean of no losses, NaN, and gradients of zero: as one call of several that make an update
  /// it adds nothing, alone it is refused.
  Step step(const Plan& plan, Inputs inputs, const Progress& progress = {});

  /// "loss" (1,) and the layer's results, without dropout.
  Results evaluate(const Plan& plan, Inputs inputs, const Progress& progress = {});

  /// The gradients of the last step, clipped as they were; a parameter on which the loss does not
  /// depend has none. Empty before the first step.
  std::vector<StateEntry> gradients() const;

  /// What is kept beside the parameters: moments ("score.weight.exp_avg") and, within an
  /// accumulation, gradients ("score.weight.grad").
  std::vector<StateEntry> state() const;
  int64_t updates() const { return kept_.counters.of(kUpdates); }
  int64_t accumulated() const { return kept_.counters.of(kAccumulated); }
  const MersenneTwister& engine() const { return kept_.generator.engine(); }

  /// Puts back what state() and the functions after it have given; `values` are parallel to
  /// expected_state().
  void restore(const std::vector<Values>& values, int64_t updates, int64_t accumulated,
               const MersenneTwister& engine);

  /// What state() has after so many calls of an accumulation.
  std::vector<Tensor> expected_state(int64_t accumulated) const;

  /// Bytes of what it keeps beside the model.
  Count held_bytes() const;

 private:
  PlanPtr find_or_make(Function function, const std::vector<GivenShape>& given);
  double learning_rate() const;
  /// Whether the loss is the mean over labels of which each is ignored.
  bool ignores_all_labels(const Plan& plan, const Inputs& inputs) const;

  std::unique_ptr<Model> model_;
  Recipe recipe_;
  std::string label_input_{};  // the input that holds class indices; empty where none does
  Kept kept_;  // class weights, moments, gradients, how many updates, and dropout's generator
  size_t loss_ = 0, norm_ = 0;  // places of these results in every plan of step()
  Plans plans_;
};

}  // namespace attnscope
