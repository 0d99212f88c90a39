#include "training.h"

#include <algorithm>
#include <cmath>

#include "../graph/unroll.h"
#include "../ops/arithmetic.h"
#include "../ops/concat.h"
#include "../ops/dropout.h"
#include "../ops/optimizer.h"
#include "backward.h"

namespace attnscope {
namespace {

template <class Operation, class... Arguments>
TensorId add(Graph& graph, const char* part, const std::string& name, Ids inputs,
             Arguments&&... arguments) {
  return graph.add_step(name, part, make_op<Operation>(std::forward<Arguments>(arguments)...),
                        inputs, name);
}

void add_loss(TrainingGraph& training, const Loss& loss) {
  Graph& graph = training.graph;
  const Result result = graph.results().front();
  TensorId output = result.tensor;
  Shape shape = graph.tensor(output).shape;
  if (loss.kind != Loss::Kind::kCrossEntropy) {
    const TensorId target = graph.add_input("target", shape);
    const auto kind = loss.kind == Loss::Kind::kSquaredError ? PointwiseRule::Kind::kSquared
                                                             : PointwiseRule::Kind::kBinaryEntropy;
    training.loss = add<PointwiseLoss>(graph, "loss", "loss", {output, target},
                                       PointwiseRule{kind, loss.reduction});
    return;
  }
  CrossEntropyRule rule{.reduction = loss.reduction,
                        .ignore_index = loss.ignore_index,
                        .label_smoothing = loss.label_smoothing};
  const Dimension classes = shape.back();
  Shape rows(shape.begin(), shape.end() - 1);
  TensorId target = kNoTensor;
  if (loss.target == Loss::Target::kProbabilities) {
    rule.target = CrossEntropyRule::Target::kProbabilities;
    target = graph.add_input("target", shape);
  } else if (loss.target == Loss::Target::kIndices) {
    target = graph.add_integer_input("labels", rows, classes, loss.ignore_index);
  } else {
    const TensorId tokens = result.options.predicts;
    if (tokens == kNoTensor) {
      throw FieldError("loss.target",
                       "loss.target \"next_token\" needs a layer that makes logits over its "
                       "vocabulary for each token");
    }
    const int64_t length = shape[1];
    if (length < 2)
      throw FieldError("seq_len", "seq_len must be at least 2 for a next token, got 1");
    output = add<Slice>(graph, "loss", "predicting", {output}, 1, int64_t{0}, length - 1);
    target = add<Slice>(graph, "loss", "next_tokens", {tokens}, 1, int64_t{1}, length);
  }
  const TensorId logs = add<LogSoftmax>(graph, "loss", "log_probabilities", {output});
  std::vector<TensorId> inputs{logs, target};
  if (!loss.class_weights.empty()) {
    if (static_cast<int64_t>(loss.class_weights.size()) != classes) {
      refuse("loss.weight", "loss.weight must have a number for each of {} classes, got {}",
             {classes, loss.class_weights.size()});
    }
    inputs.push_back(graph.add_input(kClassWeights, {classes}, Role::kState));
    graph.add_state({.rule = StateUse::Rule::kGiven,
                     .name = std::string(kClassWeights),
                     .before = inputs.back()});
  }
  training.loss = add<CrossEntropy>(graph, "loss", "loss", inputs, rule);
}

/// The parameters that are not frozen.
std::vector<TensorId> learned(const Graph& graph, const std::vector<std::string>& frozen) {
  std::vector<TensorId> parameters;
  std::vector<std::string> names;
  for (const TensorId id : graph.used_parameters()) {
    names.push_back(graph.name_of(id));
    const bool fixed = std::find(frozen.begin(), frozen.end(), names.back()) != frozen.end();
    if (!fixed) parameters.push_back(id);
  }
  for (const std::string& name : frozen) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::vector<std::string_view> known(names.begin(), names.end());
    const FieldError unknown = unknown_name("the layer", "parameter", name, known);
    throw FieldError("frozen", unknown.what());
  }
  return parameters;
}

/// The steps that update one parameter, as torch.optim's single-tensor code has them.
class Updater {
 public:
  Updater(Graph& graph, const Optimizer& how, TensorId rates, TensorId parameter)
      : graph_(graph), how_(how), rates_(rates), id_(parameter), name_(graph.name_of(id_)) {}

  void run(TensorId gradient) {
    if (how_.maximize) gradient = step<Scale>("negated", {gradient}, -1.0);
    if (how_.weight_decay != 0 && how_.kind != Optimizer::Kind::kAdamW) {
      gradient = step<AddScaled>("decayed", {gradient, id_}, how_.weight_decay);
    }
    if (how_.kind == Optimizer::Kind::kSgd) return descend(with_momentum(gradient));
    if (how_.kind == Optimizer::Kind::kRmsprop) return rms(gradient);
    adam(gradient);
  }

 private:
  template <class Operation, class... Arguments>
  TensorId step(const char* what, Ids inputs, Arguments&&... arguments) {
    return add<Operation>(graph_, "update", format("{}.{}", {name_, what}), inputs,
                          std::forward<Arguments>(arguments)...);
  }

  TensorId moment(const char* what) {
    const std::string name = format("{}.{}", {name_, what});
    const TensorId id = graph_.add_input(name, graph_.tensor(id_).shape, Role::kState);
    graph_.add_state({.rule = StateUse::Rule::kInPlace, .name = name, .before = id});
    return id;
  }

  TensorId with_momentum(TensorId gradient) {
    if (how_.momentum == 0) return gradient;
    const TensorId buffer =
        step<Momentum>("new_momentum", {moment("momentum_buffer"), gradient, rates_}, how_.momentum,
                       how_.dampening);
    if (!how_.nesterov) return buffer;
    return step<AddScaled>("nesterov", {gradient, buffer}, how_.momentum);
  }

  void descend(TensorId direction) { step<Descend>("updated", {id_, direction, rates_}); }

  void rms(TensorId gradient) {
    std::vector<TensorId> inputs{
        gradient, step<MovingSquare>("new_square", {moment("square_avg"), gradient}, how_.alpha)};
    if (how_.centered) {
      inputs.push_back(
          step<MovingAverage>("new_average", {moment("grad_avg"), gradient}, how_.alpha));
    }
    descend(with_momentum(step<RmsDirection>("direction", inputs, how_.eps, how_.centered)));
  }

  void adam(TensorId gradient) {
    const TensorId first =
        step<MovingAverage>("new_average", {moment("exp_avg"), gradient}, how_.beta1);
    TensorId second =
        step<MovingSquare>("new_square", {moment("exp_avg_sq"), gradient}, how_.beta2);
    if (how_.amsgrad) {
      second = step<Largest>("largest_square", {moment("max_exp_avg_sq"), second});
    }
    step<AdamStep>("updated", {id_, first, second, rates_}, how_.eps);
  }

  Graph& graph_;
  const Optimizer& how_;
  const TensorId rates_, id_;
  const std::string name_;
};

/// What every update of a recipe reads, from how many updates there were before.
class Rates final : public Computation {
 public:
  explicit Rates(const Recipe& recipe) : how_(recipe.optimizer), schedule_(recipe.schedule) {}

  void fill(const Counters& counters, std::span<float> rates) const override {
    const int64_t updates = counters.of(kUpdates);
    const double lr = how_.lr * schedule_.factor(updates), step = static_cast<double>(updates + 1);
    const auto set = [&](size_t rate, double value) { rates[rate] = static_cast<float>(value); };
    set(kLearningRate, lr);
    set(kStepSize, lr / (1.0 - std::pow(how_.beta1, step)));
    set(kRootCorrection, std::sqrt(1.0 - std::pow(how_.beta2, step)));
    set(kKept, how_.kind == Optimizer::Kind::kAdamW ? 1.0 - lr * how_.weight_decay : 1.0);
    set(kIsFirst, updates == 0 ? 1.0 : 0.0);
  }

 private:
  const Optimizer how_;
  const RateSchedule schedule_;
};

}  // namespace

TrainingGraph training_graph(const Config& config, const Recipe& recipe, Accumulation accumulation,
                             bool masks) {
  UnrolledForTraining unrolled = unroll_for_training(graph_to_run(config, masks));
  if (!recipe.checkpointing) {
    unrolled.iterations.clear();
  } else if (unrolled.iterations.empty()) {
    throw FieldError(
        "checkpointing",
        "checkpointing needs a layer of blocks that repeat, such as encoder or decoder");
  }
  TrainingGraph training{.graph = std::move(unrolled.graph)};
  Graph& graph = training.graph;
  graph.drop_states();  // a layer's past is an input here
  for (const Step& step : graph.steps()) {
    const auto* dropout = dynamic_cast<const Dropout*>(step.op.get());
    if (dropout && dropout->training()) {
      graph.add_filled(step.inputs.back(), Noise{dropout->share()});
    }
  }
  add_loss(training, recipe.loss);
  const TensorId seed = add<Constant>(graph, "loss", "loss.grad", {training.loss},
                                      1.0 / static_cast<double>(recipe.accumulation_steps));
  const Seed seeds[] = {{training.loss, seed}};
  const std::vector<TensorId> wanted = learned(graph, recipe.frozen);
  const std::vector<TensorId> gradients = add_gradients(graph, seeds, wanted, unrolled.iterations);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (gradients[i] == kNoTensor) continue;  // the result does not depend on it
    training.trained.push_back(wanted[i]);
    training.gradients.push_back(gradients[i]);
  }
  if (training.trained.empty()) {
    throw FieldError("frozen", "the layer has no parameter to train that is not frozen");
  }

  const auto own_name = [&](size_t i, const char* what) {
    return format("{}.{}", {graph.name_of(training.trained[i]), what});
  };
  std::vector<StateUse> kept;
  for (size_t i = 0; i < training.trained.size(); ++i) {
    StateUse& use =
        kept.emplace_back(StateUse{.rule = StateUse::Rule::kReplaced, .name = own_name(i, "grad")});
    if (accumulation.first) continue;
    const Shape shape = graph.tensor(training.trained[i]).shape;
    use.before = graph.add_input(own_name(i, "grad.before"), shape, Role::kState);
    training.gradients[i] = add<Add>(graph, "backward", own_name(i, "grad.accumulated"),
                                     {training.gradients[i], use.before});
  }
  training.norm = add<GlobalNorm>(graph, "update", "gradient_norm", training.gradients);
  if (accumulation.last) {
    for (size_t i = 0; i < training.trained.size() && recipe.clip_norm; ++i) {
      training.gradients[i] =
          add<ClipByNorm>(graph, "update", own_name(i, "grad.clipped"),
                          {training.gradients[i], training.norm}, *recipe.clip_norm);
    }
    const TensorId rates = graph.add_input("rates", {static_cast<int64_t>(kRates)}, Role::kState);
    graph.add_filled(rates, std::make_shared<const Rates>(recipe));
    for (size_t i = 0; i < training.trained.size(); ++i) {
      Updater(graph, recipe.optimizer, rates, training.trained[i]).run(training.gradients[i]);
    }
    graph.advance(kUpdates, 1);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    kept[i].after = training.gradients[i];
    graph.add_state(std::move(kept[i]));
  }
  graph.advance(kAccumulated, accumulation.last ? 1 - recipe.accumulation_steps : 1);
  graph.set_results({});
  graph.add_result("loss", training.loss);
  graph.add_result("gradient_norm", training.norm);
  for (size_t i = 0; i < training.trained.size(); ++i) {
    const TensorId parameter = training.trained[i];
    graph.add_result(gradient_name(graph.name_of(parameter)), training.gradients[i],
                     {.gradient_by = parameter});
  }
  graph.must_be_finite("loss", "loss");
  graph.must_be_finite("gradient_norm", "norm of the gradients");
  return training;
}

TrainingGraph evaluation_graph(const Config& config, const Recipe& recipe, bool masks) {
  TrainingGraph evaluation{.graph = unroll(graph_to_run(config, masks))};
  evaluation.graph.drop_states();
  add_loss(evaluation, recipe.loss);
  const std::vector<Result> results = evaluation.graph.results();
  evaluation.graph.set_results({});
  evaluation.graph.add_result("loss", evaluation.loss);
  for (const Result& result : results) {
    evaluation.graph.add_result(result.name, result.tensor, result.options);
  }
  return evaluation;
}

}  // namespace attnscope
