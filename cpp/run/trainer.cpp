#include "trainer.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

/// Of the calls that make one update, which one it is.
Function function_of(Accumulation call) {
  if (call.first) return call.last ? Function::kTrainOnly : Function::kTrainFirst;
  return call.last ? Function::kTrainLast : Function::kTrainNext;
}

Accumulation call_of(Function function) {
  const bool only = function == Function::kTrainOnly;
  return {.first = only || function == Function::kTrainFirst,
          .last = only || function == Function::kTrainLast};
}

/// The input that holds the class indices of a loss; empty where none does.
std::string label_input(const Graph& graph, const Loss& loss) {
  if (loss.kind != Loss::Kind::kCrossEntropy) return {};
  if (loss.target == Loss::Target::kIndices) return "labels";
  if (loss.target != Loss::Target::kNextToken) return {};
  return graph.tensor(graph.results().front().options.predicts).name;
}

/// What is there of the states of a rule.
std::vector<StateEntry> entries_of(const States& states, StateUse::Rule rule) {
  std::vector<StateEntry> entries;
  for (const State& state : states) {
    if (state.rule() == rule && state.values()) entries.push_back({state.name(), state.values()});
  }
  return entries;
}

}  // namespace

Trainer::Trainer(std::unique_ptr<Model> model, Recipe recipe)
    : model_(std::move(model)),
      recipe_(std::move(recipe)),
      kept_{States(Dtype::kFloat32), {{kUpdates, 0}, {kAccumulated, 0}}, model_->generator()} {
  const PlanPtr plan = step_plan();
  label_input_ = label_input(model_->graph(), recipe_.loss);
  loss_ = plan->result("loss");
  norm_ = plan->result("gradient_norm");
  if (!call_of(plan->key.function).last) find_or_make(Function::kTrainLast, {});
  for (State& state : kept_.states) {
    if (state.name() != kClassWeights) continue;
    Values weights = make_values(state.shape());
    std::copy(recipe_.loss.class_weights.begin(), recipe_.loss.class_weights.end(),
              weights.begin());
    state.replace(std::move(weights));
  }
}

PlanPtr Trainer::find_or_make(Function function, const std::vector<GivenShape>& given) {
  const auto build = [&](const Config& config, const PlanKey& key) -> FunctionGraph {
    TrainingGraph made = function == Function::kEvaluate
                             ? evaluation_graph(config, recipe_, key.masks)
                             : training_graph(config, recipe_, call_of(function), key.masks);
    return {std::move(made.graph), {.states = true}};
  };
  const auto admit = [&](Plan& plan) {
    Count bytes = plan.schedule.bytes();
    // Gradients of the step before stay until this one is done.
    for (const StateUse& state : plan.graph.states()) {
      if (state.rule != StateUse::Rule::kReplaced) continue;
      bytes = sum(bytes, product({elements(plan.graph.tensor(state.after).shape), sizeof(float)}));
    }
    if (bytes > model_->memory_limit()) {
      refuse("", "the layer must need at most {} bytes to be trained, got {}",
             {to_string(model_->memory_limit()), to_string(bytes)});
    }
    plan.bind(kept_.states);
  };
  return plans_.find_or_make({.function = function, .masks = false}, model_->config(),
                             model_->graph(), given, Dtype::kFloat32, build, admit);
}

PlanPtr Trainer::step_plan(const std::vector<GivenShape>& given) {
  const Accumulation call{.first = accumulated() == 0,
                          .last = accumulated() + 1 == recipe_.accumulation_steps};
  return find_or_make(function_of(call), given);
}

PlanPtr Trainer::evaluation_plan(const std::vector<GivenShape>& given) {
  return find_or_make(Function::kEvaluate, given);
}

double Trainer::learning_rate() const {
  return recipe_.optimizer.lr * recipe_.schedule.factor(updates());
}

bool Trainer::ignores_all_labels(const Plan& plan, const Inputs& inputs) const {
  if (label_input_.empty() || recipe_.loss.reduction == Reduction::kSum) return false;
  const std::vector<TensorId> ids = plan.graph.inputs();
  const auto id = static_cast<size_t>(*std::ranges::find_if(
      ids, [&](TensorId input) { return plan.graph.tensor(input).name == label_input_; }));
  inputs.load(id);
  const Values& labels = *inputs[id];
  // The first token of a sequence is no label: nothing comes before it.
  const bool next_token = recipe_.loss.target == Loss::Target::kNextToken;
  const size_t length = next_token ? labels.shape().back() : 1, first = next_token ? 1 : 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool is_label = i % length >= first;
    if (is_label && static_cast<int64_t>(labels.data()[i]) != recipe_.loss.ignore_index) {
      return false;
    }
  }
  return true;
}

Trainer::Step Trainer::step(const Plan& plan, Inputs inputs, const Progress& progress) {
  const double lr = learning_rate();
  std::string_view unchecked;
  if (ignores_all_labels(plan, inputs)) {
    if (recipe_.accumulation_steps == 1) {
      refuse(label_input_,
             "{} must have at least one that is not ignored, got {} as every label; the mean of no "
             "losses is NaN, and nothing was changed",
             {label_input_, recipe_.loss.ignore_index});
    }
    unchecked = "loss";
  }
  const Results results = model_->transact(plan, std::move(inputs), kept_, progress, unchecked);
  const bool updated = call_of(plan.key.function).last;
  if (updated) {
    model_->weights().repack();
    model_->clear_cache();
  }
  return {.loss = static_cast<double>(*results.values[loss_].data()),
          .gradient_norm = static_cast<double>(*results.values[norm_].data()),
          .lr = lr,
          .updated = updated};
}

Results Trainer::evaluate(const Plan& plan, Inputs inputs, const Progress& progress) {
  return model_->transact(plan, std::move(inputs), kept_, progress);
}

std::vector<StateEntry> Trainer::gradients() const {
  std::vector<StateEntry> entries = entries_of(kept_.states, StateUse::Rule::kReplaced);
  for (StateEntry& entry : entries) entry.name.resize(entry.name.size() - kGradient.size());
  return entries;
}

std::vector<Tensor> Trainer::expected_state(int64_t accumulated) const {
  std::vector<Tensor> expected;
  const auto add = [&](StateUse::Rule rule) {
    for (const State& state : kept_.states) {
      if (state.rule() == rule) expected.push_back({.name = state.name(), .shape = state.shape()});
    }
  };
  add(StateUse::Rule::kInPlace);
  if (accumulated > 0) add(StateUse::Rule::kReplaced);
  return expected;
}

std::vector<StateEntry> Trainer::state() const {
  std::vector<StateEntry> entries = entries_of(kept_.states, StateUse::Rule::kInPlace);
  if (accumulated() == 0) return entries;
  for (StateEntry& gradient : entries_of(kept_.states, StateUse::Rule::kReplaced)) {
    entries.push_back(std::move(gradient));
  }
  return entries;
}

void Trainer::restore(const std::vector<Values>& values, int64_t updates, int64_t accumulated,
                      const MersenneTwister& engine) {
  auto next = values.begin();
  for (State& state : kept_.states) {
    if (state.rule() == StateUse::Rule::kInPlace) state.replace(*next++);
  }
  for (State& state : kept_.states) {
    if (state.rule() != StateUse::Rule::kReplaced) continue;
    if (accumulated > 0) {
      state.replace(*next++);
    } else {
      state.clear();
    }
  }
  kept_.counters = {{kUpdates, updates}, {kAccumulated, accumulated}};
  kept_.generator.restore(engine);
}

Count Trainer::held_bytes() const { return kept_.states.bytes(); }

}  // namespace attnscope
