// Plans: each is made once for what is asked for, and knows where its results are.

#include "../../../cpp/run/plan.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/where.h"
#include "../../../cpp/run/tensor_gate.h"
#include "../../../cpp/run/threads.h"
#include "../../../cpp/run/trainer.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;
constexpr int kMost = 8;  // plans that are kept of each function

Config attention(int seq_len = 5) {
  return config("multihead_attention", {{"batch_size", raw(2)},
                                        {"seq_len", raw(seq_len)},
                                        {"hidden_size", raw(12)},
                                        {"num_heads", raw(3)}});
}

Config decoder() {
  return config("decoder", {{"batch_size", raw(2)},
                            {"seq_len", raw(5)},
                            {"vocab_size", raw(17)},
                            {"hidden_size", raw(8)},
                            {"num_layers", raw(2)},
                            {"num_heads", raw(2)},
                            {"num_kv_heads", raw(1)},
                            {"intermediate_size", raw(12)}});
}

/// The inputs' shapes where sequences have this length.
std::vector<GivenShape> shapes_of(const Model& model, int seq_len) {
  const Graph other = graph_of(model.config().with("seq_len", int64_t{seq_len}));
  std::vector<GivenShape> shapes;
  for (const TensorId id : model.graph().inputs()) {
    const Tensor& tensor = model.graph().tensor(id);
    for (const TensorId same : other.inputs()) {
      const bool given = other.tensor(same).name == tensor.name && tensor.role == Role::kInput;
      if (given) shapes.emplace_back(id, other.tensor(same).shape);
    }
  }
  return shapes;
}

/// Every kind of plan that a model makes.
std::vector<PlanKey> keys() {
  const std::vector<std::string> output{"output"}, both{"output", "weights"};
  return {{},
          {.weights = false},
          {.tensors = {"scores"}},
          {.tensors = {"scores", "merged"}},
          {.function = Function::kBackward, .given_gradients = output},
          {.function = Function::kBackward, .given_gradients = both},
          {.function = Function::kBackward, .tensors = {"scores"}, .given_gradients = output}};
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Result& result : graph.results()) names.push_back(result.name);
  return names;
}

}  // namespace

TEST_CASE("the same key and shapes give the same plan, and everything else gives another one") {
  const Model model(attention(), 0, kNoLimit);
  std::vector<PlanPtr> plans;
  for (const PlanKey& key : keys()) {
    for (const int length : {5, 7}) plans.push_back(model.plan(key, shapes_of(model, length)));
  }
  auto plan = plans.begin();
  for (const PlanKey& key : keys()) {
    for (const int length : {5, 7}) {
      CHECK((*plan)->key == key);
      CHECK((*plan)->config.integer("seq_len") == length);
      CHECK(std::count(plans.begin(), plans.end(), *plan) == 1);
      CHECK(model.plan(key, shapes_of(model, length)) == *plan++);
    }
  }
  CHECK(model.plan() == plans.front());  // no shapes: the config's own
}

#if !defined(__EMSCRIPTEN__)
TEST_CASE("another thread count gives another plan, and the one before is kept") {
  const Model model(attention(), 0, kNoLimit);
  const PlanPtr alone = model.plan();
  set_thread_count(2);
  const PlanPtr shared = model.plan();
  CHECK(shared != alone);
  CHECK(shared->schedule.how().threads == 2);
  CHECK(model.plan() == shared);
  set_thread_count(1);
  CHECK(model.plan() == alone);
}
#endif

TEST_CASE("of each function the last eight plans are kept, whatever the others are asked for") {
  const Model model(attention(), 0, kNoLimit);
  const PlanKey key{.function = Function::kBackward, .given_gradients = {"output"}};
  const PlanPtr backward = model.plan(key);
  const std::weak_ptr<const Plan> first = model.plan({}, shapes_of(model, 10));
  const std::weak_ptr<const Plan> second = model.plan({}, shapes_of(model, 11));
  for (int i = 2; i < kMost; ++i) model.plan({}, shapes_of(model, 10 + i));
  CHECK_FALSE(first.expired());
  model.plan({}, shapes_of(model, 10));  // used last, it is not the next to go
  model.plan({}, shapes_of(model, 10 + kMost));
  CHECK_FALSE(first.expired());
  CHECK(second.expired());
  CHECK(model.plan(key) == backward);
}

TEST_CASE("what is refused is not kept, and leaves those that are") {
  const Model model(attention(), 0, bytes_to_run(attention(20)));
  const PlanPtr plan = model.plan();
  CHECK_THROWS_AS(model.plan({}, shapes_of(model, 200)), FieldError);
  CHECK_THROWS_AS(model.plan({.tensors = {"nothing"}}), FieldError);
  CHECK_THROWS_AS(model.plan({}, shapes_of(model, 200)), FieldError);
  CHECK(model.plan() == plan);
}

TEST_CASE("100 tokens leave the plans of forward, and none of their own") {
  Model model(decoder(), 0, kNoLimit);
  const PlanPtr own = model.plan(), other = model.plan({}, shapes_of(model, 7));
  Values token = make_values({2, 1});
  token.fill(3);
  for (int64_t past = 0; past < 100; ++past) {
    const PlanPtr next = model.next_plan(1);
    const std::weak_ptr<const Plan> same = model.next_plan(1), longer = model.next_plan(2);
    CHECK(same.lock() == next);
    CHECK(longer.lock() != next);
    CHECK(next->config.integer("past_len") == past);
    Inputs inputs(next->graph.tensors().size());
    inputs[static_cast<size_t>(inputs_of(next->graph, true).front())] = &token;
    model.step(*next, inputs);
    CHECK(longer.expired());
    CHECK(next.use_count() == 1);
  }
  CHECK(model.plan() == own);
  CHECK(model.plan({}, shapes_of(model, 7)) == other);
}

TEST_CASE("a step that is stopped is planned, and what is cached after it is not") {
  Model model(decoder(), 0, kNoLimit);
  const PlanPtr next = model.next_plan(2);
  const RandomInputs inputs(next->graph, false);
  const auto stop = [](double) { throw std::runtime_error("stopped"); };
  CHECK_THROWS_WITH(model.step(*next, inputs.pointers, Progress(stop)), "stopped");
  CHECK(model.next_plan(2) == next);
  model.step(*next, inputs.pointers);
  const PlanPtr after = model.next_plan(2);
  CHECK(after != next);
  model.clear_cache();
  CHECK(model.next_plan(2)->config.integer("past_len") == 0);
}

TEST_CASE("forward within a forward's progress works, also where its plan is no longer kept") {
  const Model model(attention(), 0, kNoLimit);
  const RandomInputs inputs(model.graph(), true);
  const Outputs expected = forward(model, inputs.pointers).values;
  std::vector<Outputs> within;
  const auto tell = [&](double) {
    if (!within.empty()) return;
    for (int length = 10; length <= 10 + kMost; ++length) {
      const PlanPtr plan = model.plan({}, shapes_of(model, length));
      const RandomInputs others(plan->graph, true);
      within.push_back(model.run(*plan, others.pointers).values);
    }
  };
  PlanPtr plan = model.plan();
  const std::weak_ptr<const Plan> weak = plan;
  Results results = model.run(*plan, inputs.pointers, {}, Progress(tell));
  CHECK(results.values == expected);
  CHECK(plan.use_count() == 1);
  REQUIRE(within.size() == kMost + 1);
  for (int i = 0; i <= kMost; ++i) {
    const PlanPtr other = model.plan({}, shapes_of(model, 10 + i));
    const RandomInputs others(other->graph, true);
    CHECK(model.run(*other, others.pointers).values == within[static_cast<size_t>(i)]);
  }
}

TEST_CASE("a plan knows the place of each result, for every layer") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Model model(one, 0, kNoLimit);
    for (const bool weights : {true, false}) {
      const PlanPtr plan = model.plan({.weights = weights});
      CHECK(plan->names.size() == plan->schedule.results().size());
      CHECK(plan->results() == plan->names.size());
      for (const Result& result : plan->graph.results()) {
        CAPTURE(result.name);
        if (weights || !result.options.weights) {
          CHECK(plan->tensor(plan->result(result.name)) == result.tensor);
        } else {
          CHECK_THROWS_AS(plan->result(result.name), std::logic_error);
        }
      }
    }
  }
}

TEST_CASE("tensors come behind the results, under the names by which they are asked for") {
  const Model model(attention(), 0, kNoLimit);
  const PlanPtr plan = model.plan({.weights = false, .tensors = {"merged", "scores"}});
  REQUIRE(plan->names.size() == 3);
  CHECK(plan->results() == 1);
  const auto name_at = [&](size_t place) { return plan->graph.tensor(plan->tensor(place)).name; };
  CHECK(*plan->names[1] == "merged");
  CHECK(name_at(1) == "merged");
  CHECK(*plan->names[2] == "scores");
  CHECK(name_at(2) == "scores");
  CHECK_THROWS_WITH_AS(plan->result("scores"), "a run has no result scores", std::logic_error);
}

TEST_CASE("results of a run are found by name") {
  const Model model(attention(), 0, kNoLimit);
  const PlanPtr plan =
      model.plan({.function = Function::kBackward, .given_gradients = {"weights", "output"}});
  const RandomInputs inputs(plan->graph, false);
  Results made = model.run(*plan, inputs.pointers);
  const RandomInputs same(model.graph(), false);
  Results forward_made = forward(model, same.pointers);
  check_same(made.at("output"), forward_made.at("output"));
  check_same(made.at("weights"), forward_made.at("weights"));
  for (const Result& result : plan->graph.results()) {
    if (result.options.gradient_by == kNoTensor) continue;
    const TensorId by = result.options.gradient_by;
    CHECK(result.name == gradient_name(plan->graph.name_of(by)));
    CHECK(shape_of(made.at(result.name)) == plan->graph.tensor(by).shape);
  }
}

TEST_CASE("no two results of a graph have the same name, whatever the function") {
  const auto check = [](const Graph& graph) {
    std::vector<std::string> names = names_of(graph);
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  };
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Graph layer = graph_of(one);
    check(layer);
    check(backward_graph(one, names_of(layer)));
    Recipe recipe;
    recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
    check(evaluation_graph(one, recipe).graph);
    bool learns = false;
    for (const Tensor& tensor : layer.tensors()) {
      learns = learns || tensor.role == Role::kParameter;
    }
    if (learns) check(training_graph(one, recipe).graph);
  }
}

TEST_CASE("each call of an accumulation has a plan, and an evaluation one of its own") {
  Trainer trainer(std::make_unique<Model>(attention(), 0, kNoLimit),
                  {.loss = {.kind = Loss::Kind::kSquaredError}, .accumulation_steps = 3});
  std::vector<PlanPtr> plans;
  for (int call = 0; call < 6; ++call) {
    plans.push_back(trainer.step_plan());
    const PlanPtr evaluation = trainer.evaluation_plan();
    CHECK(evaluation->key.function == Function::kEvaluate);
    const RandomInputs inputs(plans.back()->graph, false);
    trainer.step(*plans.back(), inputs.pointers);
    CHECK(trainer.evaluation_plan() == evaluation);
  }
  const Function expected[] = {Function::kTrainFirst, Function::kTrainNext, Function::kTrainLast};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(plans[i]->key.function == expected[i]);
    CHECK(plans[i + 3] == plans[i]);
  }
  Trainer at_once(std::make_unique<Model>(attention(), 0, kNoLimit),
                  {.loss = {.kind = Loss::Kind::kSquaredError}});
  CHECK(at_once.step_plan()->key.function == Function::kTrainOnly);
}

TEST_CASE("a run that is given no mask has no step for it, and one that is given a mask has") {
  for (const Config& one : small_configs()) {
    if (one.layer().name != "recurrent_encoder") continue;
    const auto hides = [](const Step& step) {
      return dynamic_cast<const WhereVisible*>(step.op.get()) != nullptr ||
             dynamic_cast<const ZeroRows*>(step.op.get()) != nullptr;
    };
    const Graph with = unroll(graph_to_run(one)), without = unroll(graph_to_run(one, false));
    CHECK(std::ranges::count_if(with.steps(), hides) > 0);
    CHECK(std::ranges::count_if(without.steps(), hides) == 0);
    CHECK(without.is_without_masks());
    CHECK(!with.is_without_masks());
    CHECK(Schedule(without).entries().size() < Schedule(with).entries().size());

    const Model model(one, 0, kNoLimit);
    const Graph& graph = model.graph();
    std::vector<GivenShape> given, masked;
    for (const TensorId id : graph.inputs()) {
      masked.emplace_back(id, graph.tensor(id).shape);
      if (graph.tensor(id).role == Role::kInput) given.push_back(masked.back());
    }
    CHECK(!model.plan({}, given)->key.masks);
    CHECK(model.plan({}, masked)->key.masks);
    CHECK(model.plan({}, given) != model.plan({}, masked));
    CHECK(model.plan({}, masked) == model.plan({}, masked));
  }
  const Model other(config("linear_scorer"), 0, kNoLimit);
  CHECK(!other.graph().is_without_masks());
  CHECK(other.plan({.masks = true}) == other.plan({.masks = false}));
}
