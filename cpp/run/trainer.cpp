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

double only_number(const Values& values) { return static_cast<double>(*values.data()); }

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
  const TrainingPlanPtr plan = step_plan(model, {});
  const TrainingGraph& made = plan->made;
  for (const TensorId id : made.trained) trained_.push_back(made.graph.tensor(id));
  const Accumulation last{.first = recipe_.accumulation_steps == 1, .last = true};
  const TrainingPlanPtr updating = last.first ? plan : find_or_make(model, {}, last);
  for (const TrainingGraph::Moment& moment : updating->made.moments) {
    moment_tensors_.push_back(updating->made.graph.tensor(moment.tensor));
    moments_.push_back(zeros(moment_tensors_.back().shape));
  }
  if (!recipe_.loss.class_weights.empty()) {
    class_weights_ = make_values({static_cast<int64_t>(recipe_.loss.class_weights.size())});
    std::copy(recipe_.loss.class_weights.begin(), recipe_.loss.class_weights.end(),
              class_weights_.begin());
  }
}

TrainingPlanPtr Trainer::find_or_make(const Model& model, const std::vector<GivenShape>& given,
                                      std::optional<Accumulation> accumulation) {
  return plans_.find_or_make(
      model.config(), model.graph(), given,
      [&](const TrainingPlan& one) { return one.accumulation == accumulation; },
      [&](const Config& config, auto fits) -> TrainingPlanPtr {
        TrainingGraph graph = accumulation ? training_graph(config, recipe_, *accumulation)
                                           : evaluation_graph(config, recipe_);
        if (!fits(graph.graph)) return nullptr;
        auto made = std::make_shared<const TrainingPlan>(config, std::move(graph), accumulation);
        Count bytes = made->schedule.bytes();
        // Gradients of the step before stay until this one is done.
        for (const TensorId id : made->made.trained) {
          bytes = sum(bytes, product({elements(made->whole().tensor(id).shape), sizeof(float)}));
        }
        if (bytes > model.memory_limit()) {
          refuse("", "the layer must need at most {} bytes to be trained, got {}",
                 {to_string(model.memory_limit()), to_string(bytes)});
        }
        return made;
      });
}

TrainingPlanPtr Trainer::step_plan(const Model& model, const std::vector<GivenShape>& given) {
  return find_or_make(model, given,
                      Accumulation{.first = accumulated_ == 0,
                                   .last = accumulated_ + 1 == recipe_.accumulation_steps});
}

TrainingPlanPtr Trainer::evaluation_plan(const Model& model, const std::vector<GivenShape>& given) {
  return find_or_make(model, given, std::nullopt);
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

Trainer::Step Trainer::step(Model& model, const TrainingPlan& plan, Inputs inputs,
                            const Progress& progress) {
  const TrainingGraph& made = plan.made;
  const auto give = [&](TensorId id, const Values& values) {
    inputs[static_cast<size_t>(id)] = &values;
  };
  Generator generator = generator_;  // that of the trainer moves on when all has gone well
  std::vector<Values> noise;
  for (const TrainingGraph::Noise& one : made.noise) {
    Values& values = noise.emplace_back(make_values(made.graph.tensor(one.tensor).shape));
    generator.fill_dropout_noise(one.share, values.data(), static_cast<int64_t>(values.size()));
  }
  for (size_t i = 0; i < noise.size(); ++i) give(made.noise[i].tensor, noise[i]);
  const Values rated = rates();
  if (made.rates != kNoTensor) give(made.rates, rated);
  if (made.class_weights != kNoTensor) give(made.class_weights, class_weights_);
  for (size_t i = 0; i < made.moments.size(); ++i) give(made.moments[i].tensor, moments_[i]);
  for (size_t i = 0; i < made.before.size(); ++i) give(made.before[i], gradients_[i]);
  const auto check = [&](const Workspace& workspace) {
    check_finite("loss", static_cast<double>(*workspace.read(made.loss)));
    check_finite("norm of the gradients", static_cast<double>(*workspace.read(made.norm)));
  };
  Outputs outputs = model.run_schedule(plan.schedule, inputs, progress, check);
  const Step done{.loss = only_number(outputs[0]),
                  .gradient_norm = only_number(outputs[1]),
                  .lr = learning_rate(),
                  .updated = plan.accumulation->last};
  if (!done.updated) {
    check_finite("loss", done.loss);
    check_finite("norm of the gradients", done.gradient_norm);
  }
  gradients_.assign(std::make_move_iterator(outputs.begin() + 2),
                    std::make_move_iterator(outputs.end()));
  generator_ = generator;
  accumulated_ = done.updated ? 0 : accumulated_ + 1;
  if (done.updated) {
    ++updates_;
    model.weights().repack();
    model.clear_cache();
  }
  return done;
}

Outputs Trainer::evaluate(Model& model, const TrainingPlan& plan, Inputs inputs,
                          const Progress& progress) {
  if (plan.made.class_weights != kNoTensor) {
    inputs[static_cast<size_t>(plan.made.class_weights)] = &class_weights_;
  }
  return model.run_schedule(plan.schedule, inputs, progress);
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
