#include "recipe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {
namespace {

constexpr double kMostRate = 1e6;
constexpr int64_t kMostSteps = int64_t{1} << 40;

/// Checked options of one part of a recipe, by name.
class Options {
 public:
  /// `fields_of` gives the fields that there are beside "name" under each name.
  Options(std::string_view part, const Field& name, const RawConfig& raw,
          std::vector<Field> (*fields_of)(std::string_view name)) {
    try {
      RawConfig named;
      for (const auto& entry : raw) {
        if (entry.first == "name") named.push_back(entry);
      }
      const std::vector<Field> only_name{name};
      const auto chosen =
          std::get<std::string_view>(attnscope::resolve(part, only_name, named, "option")[0]);
      fields_ = fields_of(chosen);
      fields_.insert(fields_.begin(), name);
      values_ = attnscope::resolve(chosen, fields_, raw, "option");
    } catch (const FieldError& e) {
      const std::string message = e.what();
      const bool starts = message.rfind(e.field(), 0) == 0;
      throw FieldError(format("{}.{}", {part, e.field()}),
                       starts ? format("{}.{}", {part, message}) : message);
    }
  }

  std::string_view choice(std::string_view name) const {
    return std::get<std::string_view>(*find(name));
  }
  /// These leave `value` as it is where the chosen name has no such option.
  void read(std::string_view name, double& value) const {
    if (const Value* found = find(name)) value = std::get<double>(*found);
  }
  void read(std::string_view name, int64_t& value) const {
    if (const Value* found = find(name)) value = std::get<int64_t>(*found);
  }
  void read(std::string_view name, bool& value) const {
    if (const Value* found = find(name)) value = std::get<bool>(*found);
  }

 private:
  const Value* find(std::string_view name) const {
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].name == name) return &values_[i];
    }
    return nullptr;
  }

  std::vector<Field> fields_;
  std::vector<Value> values_;
};

Field share_field(const char* name, const char* meaning, double fallback) {
  return number_field(name, meaning, fallback, 0, 1);
}

Field reduction_field() {
  return choice_field("reduction", "How the losses of rows become one.", {"mean", "sum"}, "mean");
}

std::vector<Field> loss_fields(std::string_view name) {
  if (name != "cross_entropy") return {reduction_field()};
  return {
      choice_field("target",
                   "What a row is held against: a class index, a probability for each class, or "
                   "the next token.",
                   {"indices", "probabilities", "next_token"}, "indices"),
      reduction_field(),
      integer_field("ignore_index", "The class index of rows that do not count.", -100,
                    -(int64_t{1} << 31), (int64_t{1} << 31) - 1),
      share_field("label_smoothing", "The share of each target that is spread over all classes.",
                  0)};
}

std::vector<Field> optimizer_fields(std::string_view name) {
  const bool sgd = name == "sgd", rms = name == "rmsprop", adam_w = name == "adamw";
  std::vector<Field> fields = {
      number_field("lr", "The learning rate.", rms ? 1e-2 : 1e-3, 0, kMostRate),
      number_field("weight_decay", "How much of each parameter is taken away.", adam_w ? 1e-2 : 0.0,
                   0, kMostRate),
      boolean_field("maximize", "Whether the loss is made large instead of small.", false)};
  const auto add = [&](Field field) { fields.push_back(std::move(field)); };
  if (sgd || rms) {
    add(number_field("momentum", "How much of the last update goes on.", 0, 0, kMostRate));
  }
  if (sgd) {
    add(number_field("dampening", "How much less of the gradient goes to the momentum.", 0, 0,
                     kMostRate));
    add(boolean_field("nesterov", "Nesterov's momentum.", false));
    return fields;
  }
  add(number_field("eps", "Added to the root that divides.", 1e-8, 0, kMostRate));
  if (rms) {
    add(share_field("alpha", "How much of the mean of squares stays.", 0.99));
    add(boolean_field("centered", "Whether the mean of gradients is taken away.", false));
    return fields;
  }
  const auto beta = [](const char* of, const char* meaning, double fallback) {
    return number_field(of, meaning, fallback, 0, std::nextafter(1.0, 0.0));
  };
  add(beta("beta1", "How much of the mean of gradients stays.", 0.9));
  add(beta("beta2", "How much of the mean of their squares stays.", 0.999));
  add(boolean_field("amsgrad", "Whether the largest mean of squares divides.", false));
  return fields;
}

std::vector<Field> schedule_fields(std::string_view name) {
  std::vector<Field> fields = {integer_field(
      "warmup_steps", "Steps over which the learning rate rises from 0.", 0, 0, kMostSteps)};
  if (name != "constant") {
    fields.push_back(optional(integer_field(
        "total_steps", "The step at which the learning rate is 0.", 1, 1, kMostSteps)));
  }
  return fields;
}

}  // namespace

double RateSchedule::factor(int64_t step) const {
  if (step < warmup_steps) return static_cast<double>(step) / static_cast<double>(warmup_steps);
  if (kind == Kind::kConstant) return 1.0;
  const double falling = static_cast<double>(std::max<int64_t>(1, total_steps - warmup_steps));
  const double passed = std::min(1.0, static_cast<double>(step - warmup_steps) / falling);
  if (kind == Kind::kLinear) return 1.0 - passed;
  return 0.5 * (1.0 + std::cos(std::numbers::pi * passed));
}

Loss resolve_loss(const RawConfig& raw) {
  const Options options(
      "loss",
      choice_field("name", "What is made small.",
                   {"cross_entropy", "binary_cross_entropy_with_logits", "mse_loss"},
                   "cross_entropy"),
      raw, loss_fields);
  Loss loss;
  const std::string_view name = options.choice("name");
  loss.reduction = options.choice("reduction") == "sum" ? Reduction::kSum : Reduction::kMean;
  if (name == "cross_entropy") {
    const std::string_view target = options.choice("target");
    if (target == "probabilities") loss.target = Loss::Target::kProbabilities;
    if (target == "next_token") loss.target = Loss::Target::kNextToken;
    options.read("ignore_index", loss.ignore_index);
    options.read("label_smoothing", loss.label_smoothing);
    return loss;
  }
  loss.kind = name == "mse_loss" ? Loss::Kind::kSquaredError : Loss::Kind::kBinaryCrossEntropy;
  loss.target = Loss::Target::kNumbers;
  return loss;
}

Optimizer resolve_optimizer(const RawConfig& raw) {
  const Options options("optimizer",
                        choice_field("name", "What changes the parameters.",
                                     {"sgd", "rmsprop", "adam", "adamw"}, "adam"),
                        raw, optimizer_fields);
  Optimizer optimizer;
  const std::string_view name = options.choice("name");
  optimizer.kind = name == "sgd"       ? Optimizer::Kind::kSgd
                   : name == "rmsprop" ? Optimizer::Kind::kRmsprop
                   : name == "adam"    ? Optimizer::Kind::kAdam
                                       : Optimizer::Kind::kAdamW;
  options.read("lr", optimizer.lr);
  options.read("momentum", optimizer.momentum);
  options.read("dampening", optimizer.dampening);
  options.read("nesterov", optimizer.nesterov);
  options.read("alpha", optimizer.alpha);
  options.read("centered", optimizer.centered);
  options.read("beta1", optimizer.beta1);
  options.read("beta2", optimizer.beta2);
  options.read("eps", optimizer.eps);
  options.read("weight_decay", optimizer.weight_decay);
  options.read("amsgrad", optimizer.amsgrad);
  options.read("maximize", optimizer.maximize);
  if (optimizer.nesterov && (optimizer.momentum == 0 || optimizer.dampening != 0)) {
    throw FieldError("optimizer.nesterov",
                     "optimizer.nesterov needs a momentum above 0 and no dampening");
  }
  return optimizer;
}

RateSchedule resolve_schedule(const RawConfig& raw) {
  const Options options("schedule",
                        choice_field("name", "How the learning rate changes.",
                                     {"constant", "linear", "cosine"}, "constant"),
                        raw, schedule_fields);
  RateSchedule schedule;
  const std::string_view name = options.choice("name");
  options.read("warmup_steps", schedule.warmup_steps);
  if (name == "constant") return schedule;
  schedule.kind = name == "linear" ? RateSchedule::Kind::kLinear : RateSchedule::Kind::kCosine;
  const bool given = std::any_of(raw.begin(), raw.end(), [](const auto& entry) {
    return entry.first == "total_steps" && !std::holds_alternative<Null>(entry.second.value);
  });
  if (!given) {
    refuse("schedule.total_steps", "schedule.total_steps is missing: a {} schedule ends there",
           {name});
  }
  options.read("total_steps", schedule.total_steps);
  if (schedule.total_steps < schedule.warmup_steps) {
    refuse("schedule.total_steps",
           "schedule.total_steps must be at least warmup_steps ({}), got {}",
           {schedule.warmup_steps, schedule.total_steps});
  }
  return schedule;
}

}  // namespace attnscope
