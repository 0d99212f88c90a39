#include "../../../cpp/run/trainer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "../../../cpp/ops/optimizer.h"
#include "../../../cpp/run/threads.h"
#include "../allocations.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

Config classifier(double dropout = 0.0) {
  return config("attention_classifier", {{"batch_size", raw(4)},
                                         {"seq_len", raw(5)},
                                         {"vocab_size", raw(11)},
                                         {"hidden_size", raw(16)},
                                         {"num_heads", raw(2)},
                                         {"num_classes", raw(3)},
                                         {"dropout", raw(dropout)}});
}

/// Every optimizer with all that changes its steps.
std::vector<Optimizer> optimizers() {
  using Kind = Optimizer::Kind;
  return {{.kind = Kind::kSgd, .lr = 0.1},
          {.kind = Kind::kSgd, .momentum = 0.9, .dampening = 0.5, .weight_decay = 0.1},
          {.kind = Kind::kSgd, .momentum = 0.9, .nesterov = true, .maximize = true},
          {.kind = Kind::kRmsprop, .lr = 0.01},
          {.kind = Kind::kRmsprop, .momentum = 0.5, .centered = true, .weight_decay = 0.1},
          {.kind = Kind::kAdam},
          {.kind = Kind::kAdam, .weight_decay = 0.1, .amsgrad = true},
          {.kind = Kind::kAdamW, .lr = 0.01, .weight_decay = 0.1}};
}

std::unique_ptr<Model> model_of(const Config& config, uint64_t seed, Count limit = kNoLimit) {
  return std::make_unique<Model>(config, seed, limit);
}

ParameterValues copy_of(const Model& model) {
  ParameterValues state;
  for (const StateEntry& entry : model.state()) state.push_back(*entry.values);
  return state;
}

std::vector<Values> copy_of(const Trainer& trainer) {
  std::vector<Values> state;
  for (const StateEntry& entry : trainer.state()) state.push_back(*entry.values);
  return state;
}

Trainer::Step train(Trainer& trainer) {
  const PlanPtr plan = trainer.step_plan();
  const RandomInputs inputs(plan->graph, false);
  return trainer.step(*plan, inputs.pointers);
}

/// All that a step may change.
struct Everything {
  explicit Everything(const Trainer& trainer)
      : parameters(copy_of(trainer.model())),
        kept(copy_of(trainer)),
        updates(trainer.updates()),
        accumulated(trainer.accumulated()),
        noise(trainer.engine().words()),
        drawn(trainer.engine().used()) {}
  bool operator==(const Everything&) const = default;

  ParameterValues parameters, kept;
  int64_t updates, accumulated;
  std::array<uint32_t, MersenneTwister::kWords> noise;
  size_t drawn;
};

/// What the steps of the plan make of the same numbers in double precision: each parameter's.
std::vector<Array> updated_in_double(const Plan& plan, const Trainer& trainer, const Inputs& inputs,
                                     double lr) {
  const Graph& graph = plan.graph;
  ReferenceValues values(graph.tensors().size());
  const auto give = [&](TensorId id, const Values& from) {
    Array& to = values[static_cast<size_t>(id)].emplace(
        make_array({from.shape().begin(), from.shape().end()}));
    std::copy(from.begin(), from.end(), to.begin());
  };
  for (size_t id = 0; id < values.size(); ++id) {
    if (inputs[id]) give(static_cast<TensorId>(id), *inputs[id]);
  }
  const std::vector<TensorId> order = graph.used_parameters();
  const std::vector<StateEntry> state = trainer.model().state(), kept = trainer.state();
  for (size_t i = 0; i < order.size(); ++i) give(order[i], *state[i].values);
  for (const StateUse& use : graph.states()) {
    for (const StateEntry& entry : kept) {
      if (entry.name == use.name) give(use.before, *entry.values);
    }
  }
  Array& rates =
      values[static_cast<size_t>(graph.filled().back().tensor)].emplace(make_array({kRates}));
  const Optimizer& how = trainer.recipe().optimizer;
  const double step = static_cast<double>(trainer.updates()) + 1;
  rates(kLearningRate) = lr;
  rates(kStepSize) = lr / (1 - std::pow(how.beta1, step));
  rates(kRootCorrection) = std::sqrt(1 - std::pow(how.beta2, step));
  rates(kKept) = how.kind == Optimizer::Kind::kAdamW ? 1 - lr * how.weight_decay : 1.0;
  rates(kIsFirst) = step == 1 ? 1 : 0;
  run_reference(graph, values);
  std::vector<Array> updated;
  for (const Step& one : graph.steps()) {
    const bool last =
        dynamic_cast<const Descend*>(one.op.get()) || dynamic_cast<const AdamStep*>(one.op.get());
    if (last) updated.push_back(*values[static_cast<size_t>(one.output)]);
  }
  return updated;
}

}  // namespace

TEST_CASE("every optimizer updates as its steps say in double precision, on any threads") {
  for (const Optimizer& optimizer : optimizers()) {
    CAPTURE(static_cast<int>(optimizer.kind));
    std::vector<ParameterValues> after;
    for (const int threads : {1, 2}) {
#if defined(__EMSCRIPTEN__)
      if (threads > 1) continue;
#endif
      set_thread_count(threads);
      Trainer trainer(model_of(classifier(), 3), {.optimizer = optimizer, .clip_norm = 0.5});
      for (int step = 0; step < 3; ++step) {
        const PlanPtr plan = trainer.step_plan();
        const RandomInputs inputs(plan->graph, false);
        const std::vector<Array> expected =
            updated_in_double(*plan, trainer, inputs.pointers, optimizer.lr);
        const ParameterValues before = copy_of(trainer.model());
        start_counting();
        const Trainer::Step done = trainer.step(*plan, inputs.pointers);
        CHECK(allocations_at_work() == 0);
        CHECK(done.updated);
        CHECK(done.lr == optimizer.lr);
        const ParameterValues now = copy_of(trainer.model());
        REQUIRE(expected.size() == now.size());
        // Where a gradient is 0 by theory, Adam makes its rounding as large as a step.
        for (size_t i = 0; i < now.size(); ++i) {
          if (trainer.model().state()[i].name.find("key_proj.bias") != std::string::npos) continue;
          CAPTURE(trainer.model().state()[i].name);
          double far = 0.0;
          for (size_t j = 0; j < now[i].size(); ++j) {
            far = std::max(far,
                           std::abs(static_cast<double>(now[i].data()[j]) - expected[i].data()[j]));
          }
          CHECK(far <= 2e-3 * optimizer.lr + 1e-6);
          CHECK(now[i] != before[i]);
        }
      }
      after.push_back(copy_of(trainer.model()));
      const bool same = after.back() == after.front();
      CHECK(same);
    }
  }
  set_thread_count(1);
}

TEST_CASE("a run that is resumed gives the same bits, dropout and accumulation included") {
  const Recipe recipe{.optimizer = {.kind = Optimizer::Kind::kAdam}, .accumulation_steps = 3};
  Trainer trainer(model_of(classifier(0.4), 5), recipe);
  for (int call = 0; call < 5; ++call) train(trainer);
  const ParameterValues parameters = copy_of(trainer.model()), kept = copy_of(trainer);
  CHECK(trainer.accumulated() == 2);

  Trainer resumed(model_of(classifier(0.4), 6), recipe);
  resumed.model().load_state(parameters);
  resumed.restore(kept, trainer.updates(), trainer.accumulated(), trainer.engine());
  for (int call = 0; call < 5; ++call) {
    const Trainer::Step a = train(trainer), b = train(resumed);
    CHECK(a.loss == b.loss);
    CHECK(a.gradient_norm == b.gradient_norm);
    CHECK(a.updated == b.updated);
  }
  const bool same = Everything(trainer) == Everything(resumed);
  CHECK(same);
}

TEST_CASE("a loss that is not finite is refused, and nothing has changed") {
  Trainer trainer(model_of(classifier(0.4), 5), {});
  train(trainer);
  ParameterValues broken = copy_of(trainer.model());
  broken.back().fill(std::numeric_limits<float>::quiet_NaN());
  const std::vector<Values> kept = copy_of(trainer);
  const auto words = trainer.engine().words();
  trainer.model().load_state(broken);
  CHECK_THROWS_WITH_AS(train(trainer),
                       "the loss must stay finite, got NaN; nothing was changed, and a lower "
                       "learning rate, clip_norm or other data may help",
                       FieldError);
  const bool same = copy_of(trainer) == kept && trainer.engine().words() == words;
  CHECK(same);
  CHECK(trainer.updates() == 1);
}

TEST_CASE("a run that is stopped, wherever it is, has changed nothing") {
  struct Stopped {};
  for (const Optimizer& optimizer : optimizers()) {
    CAPTURE(static_cast<int>(optimizer.kind));
    CAPTURE(optimizer.maximize);
    Trainer trainer(model_of(classifier(0.4), 5), {.optimizer = optimizer});
    train(trainer);
    const PlanPtr plan = trainer.step_plan();
    const RandomInputs inputs(plan->graph, false);
    const Everything before(trainer);
    int stops = 0;
    for (bool done = false; !done; ++stops) {
      int told = 0;
      const auto stop = [&](double) {
        if (told++ == stops) throw Stopped();
      };
      try {
        trainer.step(*plan, inputs.pointers, Progress(stop));
        done = true;
      } catch (const Stopped&) {
        const bool same = Everything(trainer) == before;
        REQUIRE(same);
      }
    }
    CHECK(stops > 10);
    CHECK(trainer.updates() == 2);
  }
}

TEST_CASE("a step that runs out of memory, wherever it is, has changed nothing") {
  std::vector<Recipe> recipes;
  for (const Optimizer& optimizer : optimizers()) {
    recipes.push_back({.optimizer = optimizer, .clip_norm = 0.5});
    recipes.push_back({.optimizer = optimizer, .accumulation_steps = 3});
  }
  for (const Recipe& recipe : recipes) {
    CAPTURE(static_cast<int>(recipe.optimizer.kind));
    Trainer trainer(model_of(classifier(0.4), 5), recipe);
    Trainer other(model_of(classifier(0.4), 5), recipe);
    for (int step = 0; step < 3; ++step) {
      const PlanPtr plan = trainer.step_plan();
      const RandomInputs inputs(plan->graph, false);
      const Everything before(trainer);
      const auto is_unchanged = [&] { return Everything(trainer) == before; };
      const int64_t failures = fail_each_allocation([&] { trainer.step(*plan, inputs.pointers); },
                                                    [&] { REQUIRE(is_unchanged()); });
      CHECK(failures > 20);
      REQUIRE_FALSE(is_unchanged());
      train(other);
      const bool same = Everything(trainer) == Everything(other);
      CHECK(same);
    }
  }
}

TEST_CASE("gradients that are accumulated make the update of their mean") {
  Trainer at_once(model_of(classifier(), 5),
                  {.optimizer = {.kind = Optimizer::Kind::kSgd, .lr = 0.1}});
  Trainer by_parts(
      model_of(classifier(), 5),
      {.optimizer = {.kind = Optimizer::Kind::kSgd, .lr = 0.1}, .accumulation_steps = 2});
  CHECK(train(at_once).updated);
  CHECK_FALSE(train(by_parts).updated);
  CHECK(train(by_parts).updated);  // the same batch twice: its mean is the batch's own
  const ParameterValues a = copy_of(at_once.model()), b = copy_of(by_parts.model());
  for (size_t i = 0; i < a.size(); ++i) check_same(b[i], a[i]);
}

TEST_CASE("what cannot be trained is refused") {
  const auto trainer = [](Recipe recipe, Count limit = kNoLimit) {
    return Trainer(model_of(classifier(), 5, limit), std::move(recipe));
  };
  CHECK_THROWS_WITH_AS(trainer({.loss = {.target = Loss::Target::kNextToken}}),
                       "loss.target \"next_token\" needs a layer that makes logits over its "
                       "vocabulary for each token",
                       FieldError);
  CHECK_THROWS_WITH_AS(trainer({.loss = {.class_weights = {1, 2}}}),
                       "loss.weight must have a number for each of 3 classes, got 2", FieldError);
  CHECK_THROWS_WITH_AS(trainer({.frozen = {"fc.wieght"}}),
                       "the layer has no parameter \"fc.wieght\", did you mean fc.weight?",
                       FieldError);
  CHECK_THROWS_AS(trainer({}, Count{1} << 15), FieldError);
}

TEST_CASE("a schedule rises, stays or falls, as its formula says") {
  using Kind = RateSchedule::Kind;
  const RateSchedule linear{Kind::kLinear, 2, 6}, cosine{Kind::kCosine, 0, 4};
  const auto factors = [](const RateSchedule& schedule) {
    std::vector<double> all;
    for (int64_t step = 0; step < 8; ++step) all.push_back(schedule.factor(step));
    return all;
  };
  CHECK(factors(linear) == std::vector<double>{0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0});
  CHECK(factors(RateSchedule{}) == std::vector<double>(8, 1.0));
  check_close(cosine.factor(1), 0.5 + std::sqrt(0.125), 1e-12);
  CHECK(cosine.factor(9) == 0.0);
}

TEST_CASE("the generator is the standard library's, and goes on where it was") {
  std::mt19937 expected(42);
  MersenneTwister engine(42);
  for (int i = 0; i < 2000; ++i) REQUIRE(engine() == expected());
  MersenneTwister other(0);
  other.restore(engine.words(), engine.used());
  CHECK(other() == expected());
}

TEST_CASE("with activation checkpointing a step makes the same bits in less memory") {
  for (const char* layer : {"encoder", "decoder"}) {
    CAPTURE(layer);
    RawConfig sizes{{"batch_size", raw(2)}, {"seq_len", raw(24)},
                    {"num_layers", raw(4)}, {"hidden_size", raw(16)},
                    {"num_heads", raw(2)},  {"intermediate_size", raw(32)}};
    const bool drops = layer == std::string_view("encoder");
    sizes.emplace_back(drops ? "dropout" : "vocab_size", drops ? raw(0.1) : raw(11));
    const Config one = config(layer, sizes);
    std::vector<ParameterValues> after;
    std::vector<double> bytes;
    for (const bool checkpointing : {false, true}) {
      Trainer trainer(model_of(one, 3), {.loss = {.kind = Loss::Kind::kSquaredError},
                                         .checkpointing = checkpointing});
      bytes.push_back(static_cast<double>(trainer.step_plan()->schedule.placement().arena_bytes));
      for (int step = 0; step < 3; ++step) train(trainer);
      after.push_back(copy_of(trainer.model()));
    }
    const bool same_bits = after[0] == after[1];
    CHECK(same_bits);
    CAPTURE(bytes[0]);
    CAPTURE(bytes[1]);
    CHECK(bytes[1] < 0.6 * bytes[0]);
  }
}

TEST_CASE("a layer without blocks has nothing to run again") {
  CHECK_THROWS_WITH_AS(
      Trainer(model_of(classifier(), 3), {.checkpointing = true}),
      "checkpointing needs a layer of blocks that repeat, such as encoder or decoder", FieldError);
}
