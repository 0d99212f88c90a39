#include "trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../ops/optimizer.h"

namespace attnscope {
namespace {

Values zeros(const Shape& shape) {
  Values values = make_values(shape);
  values.fill(0.0f);
  return values;
}

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

void check_finite(const char* what, double number) {
  if (std::isfinite(number)) return;
  refuse("loss",
         "the {} must stay finite, got {}; nothing was changed, and a lower learning rate, "
         "clip_norm or other data may help",
         {what, to_string(RawValue{number})});
}

}  // namespace

Trainer::Trainer(const Model& model, Recipe recipe)
    : recipe_(std::move(recipe)), generator_(model.generator()) {
  const PlanPtr plan = step_plan(model, {});
  loss_ = plan->result("loss");
  norm_ = plan->result("gradient_norm");
  for (size_t place = 0; place < plan->results(); ++place) {
    const TensorId parameter = plan->graph.results()[place].options.gradient_by;
    if (parameter == kNoTensor) continue;
    gradient_places_.push_back(place);
    trained_.push_back(plan->graph.tensor(parameter));
    trained_.back().name = plan->graph.name_of(parameter);
  }
  const PlanPtr updating =
      call_of(plan->key.function).last ? plan : find_or_make(model, Function::kTrainLast, {});
  for (const TrainingInputs::Moment& moment : updating->given.moments) {
    moment_tensors_.push_back(updating->graph.tensor(moment.tensor));
    moments_.push_back(zeros(moment_tensors_.back().shape));
  }
  if (!recipe_.loss.class_weights.empty()) {
    class_weights_ = make_values({static_cast<int64_t>(recipe_.loss.class_weights.size())});
    std::copy(recipe_.loss.class_weights.begin(), recipe_.loss.class_weights.end(),
              class_weights_.begin());
  }
}

PlanPtr Trainer::find_or_make(const Model& model, Function function,
                              const std::vector<GivenShape>& given) {
  const auto build = [&](const Config& config) -> FunctionGraph {
    TrainingGraph made = function == Function::kEvaluate
                             ? evaluation_graph(config, recipe_)
                             : training_graph(config, recipe_, call_of(function));
    return {std::move(made.graph), {}, std::move(made.given)};
  };
  const auto check = [&](const Plan& plan) {
    Count bytes = plan.schedule.bytes();
    // Gradients of the step before stay until this one is done.
    for (const Result& result : plan.graph.results()) {
      if (result.options.gradient_by == kNoTensor) continue;
      bytes =
          sum(bytes, product({elements(plan.graph.tensor(result.tensor).shape), sizeof(float)}));
    }
    if (bytes > model.memory_limit()) {
      refuse("", "the layer must need at most {} bytes to be trained, got {}",
             {to_string(model.memory_limit()), to_string(bytes)});
    }
  };
  return plans_.find_or_make({.function = function}, model.config(), model.graph(), given,
                             Dtype::kFloat32, build, check);
}

PlanPtr Trainer::step_plan(const Model& model, const std::vector<GivenShape>& given) {
  const Accumulation call{.first = accumulated_ == 0,
                          .last = accumulated_ + 1 == recipe_.accumulation_steps};
  return find_or_make(model, function_of(call), given);
}

PlanPtr Trainer::evaluation_plan(const Model& model, const std::vector<GivenShape>& given) {
  return find_or_make(model, Function::kEvaluate, given);
}

double Trainer::learning_rate() const {
  return recipe_.optimizer.lr * recipe_.schedule.factor(updates_);
}

Values Trainer::rates() const {
  const Optimizer& how = recipe_.optimizer;
  const double lr = learning_rate(), step = static_cast<double>(updates_ + 1);
  double rates[kRates];
  rates[kLearningRate] = lr;
  rates[kStepSize] = lr / (1.0 - std::pow(how.beta1, step));
  rates[kRootCorrection] = std::sqrt(1.0 - std::pow(how.beta2, step));
  rates[kKept] = how.kind == Optimizer::Kind::kAdamW ? 1.0 - lr * how.weight_decay : 1.0;
  rates[kIsFirst] = updates_ == 0 ? 1.0 : 0.0;
  Values values = make_values({static_cast<int64_t>(kRates)});
  std::transform(rates, rates + kRates, values.begin(),
                 [](double rate) { return static_cast<float>(rate); });
  return values;
}

Trainer::Step Trainer::step(Model& model, const Plan& plan, Inputs inputs,
                            const Progress& progress) {
  const TrainingInputs& given = plan.given;
  gradients_.reserve(gradient_places_.size());  // nothing may throw after the updates
  const auto give = [&](TensorId id, const Values& values) {
    inputs[static_cast<size_t>(id)] = &values;
  };
  Generator generator = generator_;  // that of the trainer moves on when all has gone well
  std::vector<Values> noise;
  for (const TrainingInputs::Noise& one : given.noise) {
    Values& values = noise.emplace_back(make_values(plan.graph.tensor(one.tensor).shape));
    generator.fill_dropout_noise(one.share, values.data(), static_cast<int64_t>(values.size()));
  }
  for (size_t i = 0; i < noise.size(); ++i) give(given.noise[i].tensor, noise[i]);
  const Values rated = rates();
  if (given.rates != kNoTensor) give(given.rates, rated);
  if (given.class_weights != kNoTensor) give(given.class_weights, class_weights_);
  for (size_t i = 0; i < given.moments.size(); ++i) give(given.moments[i].tensor, moments_[i]);
  for (size_t i = 0; i < given.before.size(); ++i) give(given.before[i], gradients_[i]);
  Step done{.loss = 0,
            .gradient_norm = 0,
            .lr = learning_rate(),
            .updated = call_of(plan.key.function).last};
  const auto check = [&](const float* loss, const float* norm) {
    done.loss = static_cast<double>(*loss);
    done.gradient_norm = static_cast<double>(*norm);
    check_finite("loss", done.loss);
    check_finite("norm of the gradients", done.gradient_norm);
  };
  const auto check_before = [&](const Workspace& workspace) {
    check(workspace.read(plan.tensor(loss_)), workspace.read(plan.tensor(norm_)));
  };
  Results results = model.update(plan, inputs, progress, check_before);
  if (!done.updated) check(results.values[loss_].data(), results.values[norm_].data());
  gradients_.clear();
  for (const size_t place : gradient_places_) {
    gradients_.push_back(std::move(results.values[place]));
  }
  generator_ = generator;
  accumulated_ = done.updated ? 0 : accumulated_ + 1;
  if (done.updated) {
    ++updates_;
    model.weights().repack();
    model.clear_cache();
  }
  return done;
}

Results Trainer::evaluate(const Model& model, const Plan& plan, Inputs inputs,
                          const Progress& progress) {
  if (plan.given.class_weights != kNoTensor) {
    inputs[static_cast<size_t>(plan.given.class_weights)] = &class_weights_;
  }
  return model.run(plan, inputs, {}, progress);
}

std::vector<StateEntry> Trainer::gradients() const {
  std::vector<StateEntry> entries;
  for (size_t i = 0; i < gradients_.size(); ++i)
    entries.push_back({trained_[i].name, &gradients_[i]});
  return entries;
}

std::vector<Tensor> Trainer::expected_state(int64_t accumulated) const {
  std::vector<Tensor> expected = moment_tensors_;
  if (accumulated == 0) return expected;
  for (const Tensor& parameter : trained_) {
    expected.push_back(parameter);
    expected.back().name += ".grad";
  }
  return expected;
}

std::vector<StateEntry> Trainer::state() const {
  const std::vector<Tensor> expected = expected_state(accumulated_);
  std::vector<StateEntry> entries;
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool moment = i < moments_.size();
    entries.push_back({expected[i].name, moment ? &moments_[i] : &gradients_[i - moments_.size()]});
  }
  return entries;
}

void Trainer::restore(const std::vector<Values>& values, int64_t updates, int64_t accumulated,
                      const MersenneTwister& engine) {
  const auto moments = static_cast<std::ptrdiff_t>(moments_.size());
  std::copy(values.begin(), values.begin() + moments, moments_.begin());
  gradients_.assign(values.begin() + moments, values.end());
  updates_ = updates;
  accumulated_ = accumulated;
  generator_.restore(engine);
}

Count Trainer::held_bytes() const {
  Count bytes = 0;
  for (const std::vector<Values>* kept : {&moments_, &gradients_}) {
    for (const Values& values : *kept) bytes += Count{values.size()} * sizeof(float);
  }
  return bytes;
}

}  // namespace attnscope
