#include "../../../cpp/training/recipe.h"

#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Refusal {
  RawConfig raw;
  std::string field, message;
};

template <class Resolve>
void check_refused(Resolve resolve, const std::vector<Refusal>& refusals) {
  for (const auto& [raw, field, message] : refusals) {
    CAPTURE(message);
    try {
      resolve(raw);
      FAIL_CHECK("it was taken");
    } catch (const FieldError& error) {
      CHECK(error.field() == field);
      CHECK(std::string(error.what()) == message);
    }
  }
}

Refusal optimizer_refusal(const char* name, const char* option, RawValue value, const char* rule) {
  const std::string field = std::string("optimizer.") + option;
  return {{{"name", raw(name)}, {option, value}}, field, field + " must be " + rule};
}

RawValue null() { return {Null()}; }

}  // namespace

TEST_CASE("a loss that is not described is the cross entropy of F.cross_entropy's defaults") {
  const Loss loss = resolve_loss({});
  CHECK(loss.kind == Loss::Kind::kCrossEntropy);
  CHECK(loss.target == Loss::Target::kIndices);
  CHECK(loss.reduction == Reduction::kMean);
  CHECK(loss.ignore_index == -100);
  CHECK(loss.label_smoothing == 0);
  CHECK(loss.class_weights.empty());
}

TEST_CASE("each option of a loss is read") {
  const Loss loss = resolve_loss({{"target", raw("probabilities")},
                                  {"reduction", raw("sum")},
                                  {"ignore_index", raw(3)},
                                  {"label_smoothing", raw(0.25)}});
  CHECK(loss.target == Loss::Target::kProbabilities);
  CHECK(loss.reduction == Reduction::kSum);
  CHECK(loss.ignore_index == 3);
  CHECK(loss.label_smoothing == 0.25);
  CHECK(resolve_loss({{"target", raw("next_token")}}).target == Loss::Target::kNextToken);
  for (const auto& [name, kind] :
       {std::pair{"mse_loss", Loss::Kind::kSquaredError},
        {"binary_cross_entropy_with_logits", Loss::Kind::kBinaryCrossEntropy}}) {
    const Loss numbers = resolve_loss({{"name", raw(name)}, {"reduction", raw("sum")}});
    CHECK(numbers.kind == kind);
    CHECK(numbers.target == Loss::Target::kNumbers);
    CHECK(numbers.reduction == Reduction::kSum);
  }
}

TEST_CASE("a loss names the option, the rule and the value of what it refuses") {
  check_refused(
      resolve_loss,
      {{{{"name", raw("hinge")}},
        "loss.name",
        "loss.name must be one of cross_entropy, binary_cross_entropy_with_logits, mse_loss, got "
        "\"hinge\""},
       {{{"target", raw("labels")}},
        "loss.target",
        "loss.target must be one of indices, probabilities, next_token, got \"labels\""},
       {{{"reduction", raw("none")}},
        "loss.reduction",
        "loss.reduction must be one of mean, sum, got \"none\""},
       {{{"ignore_index", raw(0.5)}},
        "loss.ignore_index",
        "loss.ignore_index must be an integer from -2147483648 to 2147483647, got 0.5"},
       {{{"label_smoothing", raw(1.5)}},
        "loss.label_smoothing",
        "loss.label_smoothing must be a number from 0 to 1, got 1.5"},
       {{{"label_smoothing", null()}},
        "loss.label_smoothing",
        "loss.label_smoothing must be a number from 0 to 1, got null"},
       {{{"smoothing", raw(0.1)}},
        "loss.smoothing",
        "cross_entropy has no option \"smoothing\"; its options are name, target, reduction, "
        "ignore_index, label_smoothing"},
       {{{"name", raw("mse_loss")}, {"target", raw("indices")}},
        "loss.target",
        "mse_loss has no option \"target\"; its options are name, reduction"}});
}

TEST_CASE("an optimizer that is not described is Adam of torch.optim's defaults") {
  const Optimizer adam = resolve_optimizer({});
  CHECK(adam.kind == Optimizer::Kind::kAdam);
  CHECK(adam.lr == 1e-3);
  CHECK(adam.beta1 == 0.9);
  CHECK(adam.beta2 == 0.999);
  CHECK(adam.eps == 1e-8);
  CHECK(adam.weight_decay == 0);
  CHECK_FALSE(adam.amsgrad);
  CHECK_FALSE(adam.maximize);
}

TEST_CASE("each optimizer has the learning rate and the decay that torch.optim gives it") {
  const std::tuple<const char*, Optimizer::Kind, double, double> cases[] = {
      {"sgd", Optimizer::Kind::kSgd, 1e-3, 0},
      {"rmsprop", Optimizer::Kind::kRmsprop, 1e-2, 0},
      {"adam", Optimizer::Kind::kAdam, 1e-3, 0},
      {"adamw", Optimizer::Kind::kAdamW, 1e-3, 1e-2}};
  for (const auto& [name, kind, lr, weight_decay] : cases) {
    CAPTURE(name);
    const Optimizer optimizer = resolve_optimizer({{"name", raw(name)}});
    CHECK(optimizer.kind == kind);
    CHECK(optimizer.lr == lr);
    CHECK(optimizer.weight_decay == weight_decay);
  }
}

TEST_CASE("each option of an optimizer is read") {
  const Optimizer sgd = resolve_optimizer({{"name", raw("sgd")},
                                           {"lr", raw(0)},
                                           {"momentum", raw(0.5)},
                                           {"nesterov", raw(true)},
                                           {"maximize", raw(true)},
                                           {"weight_decay", raw(0.125)}});
  CHECK(sgd.lr == 0);
  CHECK(sgd.momentum == 0.5);
  CHECK(sgd.nesterov);
  CHECK(sgd.maximize);
  CHECK(sgd.weight_decay == 0.125);
  CHECK(resolve_optimizer({{"name", raw("sgd")}, {"dampening", raw(2)}}).dampening == 2);
  const Optimizer rms = resolve_optimizer(
      {{"name", raw("rmsprop")}, {"alpha", raw(1)}, {"centered", raw(true)}, {"eps", raw(0)}});
  CHECK(rms.alpha == 1);
  CHECK(rms.centered);
  CHECK(rms.eps == 0);
  const Optimizer adam =
      resolve_optimizer({{"beta1", raw(0)}, {"beta2", raw(0.5)}, {"amsgrad", raw(true)}});
  CHECK(adam.beta1 == 0);
  CHECK(adam.beta2 == 0.5);
  CHECK(adam.amsgrad);
}

TEST_CASE("an optimizer names the option, the rule and the value of what it refuses") {
  const char* const share = "a number from 0 to 1, got -0.5";
  check_refused(
      resolve_optimizer,
      {optimizer_refusal("lion", "name", raw("lion"),
                         "one of sgd, rmsprop, adam, adamw, got \"lion\""),
       optimizer_refusal("adam", "lr", raw(-1), "a number from 0 to 1000000, got -1"),
       optimizer_refusal("adam", "lr", raw(NAN), "a number from 0 to 1000000, got NaN"),
       optimizer_refusal("adam", "lr", raw("0.1"), "a number from 0 to 1000000, got \"0.1\""),
       optimizer_refusal("adam", "weight_decay", raw(kInfinity),
                         "a number from 0 to 1000000, got Infinity"),
       optimizer_refusal("adam", "eps", raw(-1e-8), "a number from 0 to 1000000, got -1e-8"),
       optimizer_refusal("adam", "maximize", raw(1), "true or false, got 1"),
       optimizer_refusal("adam", "amsgrad", raw("yes"), "true or false, got \"yes\""),
       optimizer_refusal("sgd", "momentum", raw(-0.5), "a number from 0 to 1000000, got -0.5"),
       optimizer_refusal("sgd", "dampening", null(), "a number from 0 to 1000000, got null"),
       optimizer_refusal("sgd", "nesterov", raw(0), "true or false, got 0"),
       optimizer_refusal("rmsprop", "alpha", raw(-0.5), share),
       optimizer_refusal("rmsprop", "centered", null(), "true or false, got null"),
       {{{"name", raw("sgd")}, {"beta1", raw(0.9)}},
        "optimizer.beta1",
        "sgd has no option \"beta1\"; its options are name, lr, weight_decay, maximize, momentum, "
        "dampening, nesterov"},
       {{{"weight_decays", raw(0.1)}},
        "optimizer.weight_decays",
        "adam has no option \"weight_decays\", did you mean weight_decay?"}});
}

TEST_CASE("the betas of Adam are below 1, as its correction divides by 1 - beta") {
  for (const std::string beta : {"beta1", "beta2"}) {
    CHECK_NOTHROW(resolve_optimizer({{beta, raw(std::nextafter(1.0, 0.0))}}));
    const std::string field = "optimizer." + beta;
    check_refused(resolve_optimizer,
                  {{{{beta, raw(1)}},
                    field,
                    field + " must be a number from 0 to 0.9999999999999999, got 1"}});
  }
}

TEST_CASE("Nesterov's momentum needs a momentum, and no dampening") {
  const std::string message = "optimizer.nesterov needs a momentum above 0 and no dampening";
  const RawConfig plain{{"name", raw("sgd")}, {"nesterov", raw(true)}};
  RawConfig dampened = plain;
  dampened.insert(dampened.end(), {{"momentum", raw(0.9)}, {"dampening", raw(0.1)}});
  check_refused(resolve_optimizer, {{plain, "optimizer.nesterov", message},
                                    {dampened, "optimizer.nesterov", message}});
}

TEST_CASE("a schedule names the option, the rule and the value of what it refuses") {
  const char* const steps =
      "schedule.warmup_steps must be an integer from 0 to 1099511627776, got ";
  check_refused(
      resolve_schedule,
      {{{{"name", raw("step")}},
        "schedule.name",
        "schedule.name must be one of constant, linear, cosine, got \"step\""},
       {{{"warmup_steps", raw(-1)}}, "schedule.warmup_steps", std::string(steps) + "-1"},
       {{{"warmup_steps", raw(0.5)}}, "schedule.warmup_steps", std::string(steps) + "0.5"},
       {{{"total_steps", raw(9)}},
        "schedule.total_steps",
        "constant has no option \"total_steps\"; its options are name, warmup_steps"},
       {{{"name", raw("linear")}},
        "schedule.total_steps",
        "schedule.total_steps is missing: a linear schedule ends there"},
       {{{"name", raw("cosine")}, {"total_steps", null()}},
        "schedule.total_steps",
        "schedule.total_steps is missing: a cosine schedule ends there"},
       {{{"name", raw("cosine")}, {"total_steps", raw(0)}},
        "schedule.total_steps",
        "schedule.total_steps must be an integer from 1 to 1099511627776, or null, got 0"},
       {{{"name", raw("linear")}, {"warmup_steps", raw(10)}, {"total_steps", raw(9)}},
        "schedule.total_steps",
        "schedule.total_steps must be at least warmup_steps (10), got 9"}});
}

TEST_CASE("a schedule's factor rises over its warmup, and falls to 0 at its end") {
  using Kind = RateSchedule::Kind;
  constexpr double kRounding = 1e-15;  // of a cosine
  const std::tuple<RateSchedule, int64_t, double> cases[] = {
      {{}, 0, 1},
      {{}, 1000, 1},
      {{Kind::kConstant, 4, 0}, 0, 0},
      {{Kind::kConstant, 4, 0}, 3, 0.75},
      {{Kind::kConstant, 4, 0}, 4, 1},
      {{Kind::kConstant, 4, 0}, 99, 1},
      {{Kind::kLinear, 0, 10}, 0, 1},
      {{Kind::kLinear, 2, 10}, 1, 0.5},
      {{Kind::kLinear, 2, 10}, 2, 1},
      {{Kind::kLinear, 2, 10}, 4, 0.75},
      {{Kind::kLinear, 2, 10}, 10, 0},
      {{Kind::kLinear, 2, 10}, 11, 0},
      {{Kind::kLinear, 10, 10}, 9, 0.9},
      {{Kind::kLinear, 10, 10}, 10, 1},  // its only step after the warmup
      {{Kind::kCosine, 2, 10}, 2, 1},
      {{Kind::kCosine, 2, 10}, 4, 0.5 + std::sqrt(0.125)},
      {{Kind::kCosine, 2, 10}, 6, 0.5},
      {{Kind::kCosine, 2, 10}, 10, 0},
      {{Kind::kCosine, 2, 10}, 99, 0}};
  for (const auto& [schedule, step, factor] : cases) {
    CAPTURE(static_cast<int>(schedule.kind));
    CAPTURE(step);
    check_close(schedule.factor(step), factor, kRounding);
  }
}

TEST_CASE("a recipe that says nothing clips, gathers, freezes and repeats nothing") {
  const Recipe recipe;
  CHECK_FALSE(recipe.clip_norm);
  CHECK(recipe.accumulation_steps == 1);
  CHECK(recipe.frozen.empty());
  CHECK_FALSE(recipe.checkpointing);
  const RateSchedule schedule = resolve_schedule({});
  CHECK(schedule.kind == RateSchedule::Kind::kConstant);
  CHECK(schedule.warmup_steps == 0);
}
