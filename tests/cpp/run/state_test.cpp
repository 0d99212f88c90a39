// What lives between runs: each rule by itself, and a run that goes wrong, which changes nothing.

#include "../../../cpp/run/state.h"

#include <cstring>
#include <limits>
#include <stdexcept>

#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/concat.h"
#include "../../../cpp/ops/optimizer.h"
#include "../../../cpp/run/transaction.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// How many runs there were before, in each number.
class Runs final : public Computation {
 public:
  void fill(const Counters& counters, std::span<float> numbers) const override {
    std::ranges::fill(numbers, static_cast<float>(counters.of("runs")));
  }
};

using Rule = StateUse::Rule;

constexpr int64_t kPositions = 2, kFeatures = 3;  // of x, (1, 2, 3)
const Shape kShape{1, kPositions, kFeatures};

/// A graph that has a state of each rule, and a filled tensor of each kind. `past`: positions that
/// are cached; without any the replaced state is not there yet either. `updates`: whether it has
/// the state that is changed in place.
Graph remembering(int64_t past, bool updates = true) {
  Graph graph;
  const TensorId x = graph.add_input("x", kShape);
  const auto step = [&](const OpPtr& op, Ids inputs, const char* name) {
    return graph.add_step(name, "combine", op, inputs, name);
  };
  const auto state = [&](const char* name) { return graph.add_input(name, kShape, Role::kState); };
  const OpPtr &plus = shared_op<Add>(), &times = shared_op<Multiply>();

  const TensorId given = state("given");
  graph.add_state({.rule = Rule::kGiven, .name = "given", .before = given});
  TensorId sum = step(plus, {x, given}, "with_given");

  const TensorId noise = state("noise");
  graph.add_filled(noise, Noise{0.5});
  sum = step(times, {sum, noise}, "dropped");
  const TensorId runs = state("runs");
  graph.add_filled(runs, std::make_shared<const Runs>());
  sum = step(plus, {sum, runs}, "with_runs");

  TensorId last = kNoTensor;
  if (past > 0) {
    last = state("last");
    sum = step(plus, {sum, last}, "with_last");
  }
  graph.add_state({.rule = Rule::kReplaced, .name = "last", .before = last, .after = sum});

  TensorId cached = kNoTensor, all = step(make_op<Scale>(2.0), {sum}, "key");
  if (past > 0) {
    cached = graph.add_input("past_key", {1, past, kFeatures});
    all = step(make_op<Concat>(1), {cached, all}, "keys");
  }
  graph.add_state({.rule = Rule::kAppended,
                   .name = "key",
                   .before = cached,
                   .after = all,
                   .new_positions = kPositions,
                   .window = 6});

  graph.add_result("loss", step(make_op<GlobalNorm>(), {sum, all}, "loss"));
  graph.must_be_finite("loss", "loss");
  if (updates) {
    const TensorId average = state("average");
    graph.add_state({.rule = Rule::kInPlace, .name = "average", .before = average});
    step(make_op<MovingAverage>(0.5), {average, sum}, "new_average");
  }
  graph.advance("runs", 1);
  graph.advance("positions", kPositions);
  return graph;
}

/// A session of runs of that graph.
struct Remembering {
  Kept kept{States(Dtype::kFloat32), {}, Generator(7)};
  Weights weights{std::make_shared<ParameterValues>(), Dtype::kFloat32};
  Values x = random_values(kShape, 3);
  bool updates;

  explicit Remembering(bool updating) : updates(updating) {}

  int64_t positions() const { return kept.counters.of("positions"); }

  float run(const Progress& progress = {}) {
    const int64_t past = std::min<int64_t>(positions(), 5);  // the window without the next query
    FunctionGraph made{remembering(past, updates), {.states = true}};
    Plan plan(config("dense"), {}, std::move(made), {});
    plan.bind(kept.states);
    Inputs inputs(plan.graph.tensors().size());
    for (const TensorId id : plan.graph.inputs()) {
      if (plan.graph.tensor(id).name == "x") inputs[static_cast<size_t>(id)] = &x;
    }
    const BoundWeights bound = weights.bind(plan.graph, plan.schedule.packed());
    return *transact(plan, bound, inputs, kept, progress).at("loss").data();
  }

  /// Every number that is kept, in one list.
  std::vector<float> numbers() {
    std::vector<float> all;
    for (State& state : kept.states) {
      if (const Values* values = state.values())
        all.insert(all.end(), values->begin(), values->end());
      if (CachedRows* rows = state.rows()) {
        constexpr size_t kRoom = 64;  // what a stopped run has appended stands behind what is kept
        const auto kept_positions = static_cast<size_t>(std::min<int64_t>(positions(), 5));
        std::vector<float> cached(kRoom);
        rows->copy_to(cached.data());
        cached.resize(kept_positions * static_cast<size_t>(kFeatures));
        all.insert(all.end(), cached.begin(), cached.end());
      }
    }
    for (const auto& [name, count] : kept.counters) all.push_back(static_cast<float>(count));
    all.push_back(static_cast<float>(kept.generator.engine().used()));
    return all;
  }
};

State& named(States& states, std::string_view name) {
  for (State& state : states) {
    if (state.name() == name) return state;
  }
  throw std::logic_error("no such state");
}

struct Stopped {};

/// A run that goes on to the part `from` of its work, and is stopped there.
void run_and_stop(Remembering& session, double from) {
  const auto stop = [&](double done) {
    if (done >= from) throw Stopped();
  };
  CHECK_THROWS_AS(session.run(Progress(stop)), Stopped);
}

}  // namespace

TEST_CASE("each rule makes of its state what it says") {
  Remembering session(true);
  Values given = make_values(kShape);
  given.fill(10.0f);
  session.run();
  named(session.kept.states, "given").replace(given);
  std::vector<float> average(6, 0.0f), last(6, 0.0f);
  // Noise of the second run: the generator goes on where the first has left it.
  Generator generator = session.kept.generator;
  std::vector<float> noise(6);
  generator.fill_dropout_noise(0.5, noise.data(), 6);
  const Values before = *named(session.kept.states, "last").values();
  const Values moving = *named(session.kept.states, "average").values();
  session.run();
  const Values after = *named(session.kept.states, "last").values();
  const Values moved = *named(session.kept.states, "average").values();
  for (size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    const float sum = (session.x.data()[i] + 10.0f) * noise[i] + 1.0f + before.data()[i];
    CHECK(after.data()[i] == doctest::Approx(sum));
    CHECK(moved.data()[i] == doctest::Approx(0.5f * (moving.data()[i] + sum)));
  }
  std::vector<float> keys(12);
  named(session.kept.states, "key").rows()->copy_to(keys.data());
  for (size_t i = 0; i < 6; ++i) {
    CHECK(keys[i] == 2 * before.data()[i]);
    CHECK(keys[i + 6] == 2 * after.data()[i]);
  }
  CHECK(session.positions() == 4);
  CHECK(session.kept.counters.of("runs") == 2);
  // Of a window of six positions later runs see five.
  for (int i = 0; i < 3; ++i) session.run();
  CHECK(session.positions() == 10);
  CHECK(session.kept.states.bytes() > 0);
}

TEST_CASE("a run that is stopped, or whose loss is not finite, leaves everything as it was") {
  for (const bool updates : {true, false}) {
    CAPTURE(updates);
    Remembering session(updates), undisturbed(updates);
    for (int round = 0; round < 3; ++round) {
      CAPTURE(round);
      const std::vector<float> before = session.numbers();
      for (const double from : {0.0, 0.3, 0.7}) {
        run_and_stop(session, from);
        if (round > 0) CHECK(session.numbers() == before);
      }
      const float kept =
          std::exchange(session.x.data()[1], std::numeric_limits<float>::quiet_NaN());
      CHECK_THROWS_WITH(session.run(),
                        "the loss must stay finite, got NaN; nothing was changed, and a lower "
                        "learning rate, clip_norm or other data may help");
      session.x.data()[1] = kept;
      if (round > 0) CHECK(session.numbers() == before);
      const float loss = session.run();
      CHECK(loss == undisturbed.run());
      CHECK(session.numbers() == undisturbed.numbers());
    }
  }
}

TEST_CASE("a state that is cleared is as it was before the first run") {
  Remembering session(true), other(true);
  const float first = session.run();
  session.run();
  session.kept.states.clear();
  session.kept.counters.clear();
  session.kept.generator = Generator(7);
  CHECK(session.run() == first);
  CHECK(other.run() == first);
  CHECK(session.numbers() == other.numbers());
}

TEST_CASE("a state of another shape, or that follows another rule, is refused") {
  Remembering session(true);
  session.run();
  Graph wider;
  wider.add_state({.rule = Rule::kInPlace,
                   .name = "average",
                   .before = wider.add_input("average", {1, 2, 4}, Role::kState)});
  CHECK_THROWS_WITH(session.kept.states.bind(wider),
                    "average of the runs before has the shape (1, 2, 3), and this run needs "
                    "(1, 2, 4)");
  Graph more_rows;
  const TensorId keys = more_rows.add_input("keys", {2, 7, 3});
  more_rows.add_state({.rule = Rule::kAppended, .name = "key", .after = keys, .new_positions = 7});
  CHECK_THROWS_WITH(session.kept.states.bind(more_rows),
                    "key of the runs before has the shape (1, 3), and this run needs (2, 3)");
  Graph changed;
  changed.add_state({.rule = Rule::kGiven,
                     .name = "average",
                     .before = changed.add_input("average", kShape, Role::kState)});
  CHECK_THROWS_AS(session.kept.states.bind(changed), std::logic_error);
}

TEST_CASE("states are found by name in whatever order graphs have them") {
  States states(Dtype::kFloat32);
  const auto graph = [](std::initializer_list<const char*> names) {
    Graph made;
    for (const char* name : names) {
      made.add_state({.rule = Rule::kInPlace,
                      .name = name,
                      .before = made.add_input(name, {2}, Role::kState)});
    }
    return made;
  };
  CHECK(states.bind(graph({"a", "b", "c"})) == std::vector<size_t>{0, 1, 2});
  CHECK(states.bind(graph({"c", "a", "d", "b"})) == std::vector<size_t>{2, 0, 3, 1});
  CHECK(states.bytes() == 4 * 2 * sizeof(float));
}
