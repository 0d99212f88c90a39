// Loops, through lists of parameters and without: each is held against the same steps, written out
// by the test.

#include <numeric>
#include <span>
#include <tuple>

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/lifetimes.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/analysis/pytorch_module.h"
#include "../../../cpp/graph/rows.h"
#include "../../../cpp/graph/storage.h"
#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/concat.h"
#include "../../../cpp/ops/dropout.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/kept.h"
#include "../../../cpp/training/backward.h"
#include "../run/inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Set = std::shared_ptr<Parameters>;
using Kind = Argument::Kind;

const Shape kRow{2, 4};
constexpr int64_t kFeatures = 4;

TensorId add(Graph& graph, const OpPtr& op, Ids inputs, const std::string& name) {
  return graph.add_step(name, "combine", op, inputs, name);
}
TensorId sum(Graph& graph, TensorId a, TensorId b, const std::string& name) {
  return add(graph, shared_op<Add>(), {a, b}, name);
}
TensorId times(Graph& graph, TensorId a, TensorId b, const std::string& name) {
  return add(graph, shared_op<Multiply>(), {a, b}, name);
}
TensorId scaled(Graph& graph, TensorId x, const std::string& name) {
  return add(graph, make_op<Scale>(0.5), {x}, name);
}

/// A slice of `x` along a dimension, of two steps.
TensorId slice(Graph& graph, TensorId x, int dimension, int64_t at) {
  const std::string name = format("{} {}", {graph.tensor(x).name, at});
  Shape shape = graph.tensor(x).shape;
  shape.erase(shape.begin() + dimension);
  const TensorId part = add(graph, make_op<Slice>(dimension, at, at + 1), {x}, name + " kept");
  return add(graph, make_op<Reshape>(shape), {part}, name);
}

/// Tensors as the slices of one, of several steps.
TensorId stacked(Graph& graph, const std::vector<TensorId>& slices, const std::string& name) {
  std::vector<TensorId> parts;
  for (const TensorId id : slices) {
    Shape shape = graph.tensor(id).shape;
    shape.insert(shape.begin(), 1);
    parts.push_back(
        add(graph, make_op<Reshape>(shape), {id}, format("{} part {}", {name, parts.size()})));
  }
  return parts.size() == 1 ? parts[0] : add(graph, make_op<Concat>(0), parts, name);
}

/// Numbers for all that a graph is given, by the names: other graphs are given the same. Weights
/// are small, for what is carried on not to grow from iteration to iteration.
struct Given {
  explicit Given(const Graph& graph)
      : weights(std::make_shared<ParameterValues>()),
        values(graph.tensors().size()),
        pointers(values.size()) {
    for (size_t flat = 0; flat < graph.parameters().flat_count(); ++flat) {
      weights->push_back(
          random_values(graph.parameters().at(flat).second, static_cast<uint32_t>(flat) + 1));
      weights->back() *= 0.25f;
    }
    for (const TensorId id : graph.inputs()) {
      const Tensor& tensor = graph.tensor(id);
      const auto seed = std::accumulate(tensor.name.begin(), tensor.name.end(), uint32_t{7});
      values[static_cast<size_t>(id)] = random_values(tensor.shape, seed);
      pointers[static_cast<size_t>(id)] = &values[static_cast<size_t>(id)];
    }
  }

  std::shared_ptr<ParameterValues> weights;
  std::vector<Values> values;
  Inputs pointers;
};

void check_run(const Graph& graph, const Graph& by_hand) {
  const Given given(graph), other(by_hand);
  const Outputs expected = run_reference(by_hand, *other.weights, other.pointers);
  check_same(run_reference(graph, *given.weights, given.pointers), expected);
  const Schedule schedule(graph);
  Weights weights(given.weights, Dtype::kFloat32);
  check_same(execute(schedule, weights.bind(graph, schedule.packed()), given.pointers, {}),
             expected);
}

/// The results, and the gradients of all that is given and learned by each of the results alone
/// and by all.
void check_same_as(const Graph& by_hand, const Graph& looped) {
  const Graph unrolled = unroll(looped);
  CHECK(unrolled.loops().empty());
  check_run(unrolled, by_hand);
  std::vector<std::vector<std::string>> choices{{}};
  for (const Result& result : looped.results()) {
    choices.push_back({result.name});
    choices[0].push_back(result.name);
  }
  for (const std::vector<std::string>& from : choices) {
    CAPTURE(from.size());
    CAPTURE(from.front());
    const Graph graph = backward_graph(unrolled, from, {});
    const Graph other = backward_graph(by_hand, from, {});
    std::vector<std::string> names, expected;
    for (const Result& result : graph.results()) names.push_back(result.name);
    for (const Result& result : other.results()) expected.push_back(result.name);
    CHECK(names == expected);
    check_run(graph, other);
  }
}

/// A set with a list of places of these kinds, each with a product of its own, called `names`.
struct Listed {
  explicit Listed(std::vector<int> order, const char* name = "layers") {
    const int kinds = 1 + *std::max_element(order.begin(), order.end());
    Member member{name, {}, std::move(order)};
    for (int kind = 0; kind < kinds; ++kind) {
      const Set one = std::make_shared<Parameters>(kind == 0 ? "OneLayer" : "OtherLayer");
      dense.push_back(declare_linear(*one, "dense", kFeatures, kFeatures, true));
      member.kinds.push_back(one);
    }
    set->add_member(member);
  }

  Graph body(size_t kind = 0) const { return Graph(set->member(0)->kinds[kind]); }

  Set set = std::make_shared<Parameters>("Whole");
  std::vector<LinearModule> dense;
};

/// Parameters as those of a list, in a set without lists.
struct WrittenOut {
  explicit WrittenOut(const std::vector<std::string>& places) {
    for (const std::string& place : places) {
      dense.push_back(declare_linear(*set, place + ".dense", kFeatures, kFeatures, true));
    }
  }

  Set set = std::make_shared<Parameters>("Whole");
  std::vector<LinearModule> dense;
};

std::shared_ptr<const Graph> shared(Graph graph) {
  return std::make_shared<const Graph>(std::move(graph));
}

/// What the loop of two carried values is made of.
struct Way {
  bool reverse = false;
  int dimension = 0;   // along which x has its slices
  bool made = false;   // x is what a step makes, else an input
  bool alike = false;  // both values begin as one tensor
  bool list = true;    // each iteration has parameters of its own, else all have the same
};

struct Start {
  TensorId x, state, memory;
};

Start start(Graph& graph, const Way& way, int64_t iterations) {
  Shape shape = kRow;
  shape.insert(shape.begin() + way.dimension, iterations);
  TensorId x = graph.add_input("x", shape);
  const TensorId state = graph.add_input("first_state", kRow);
  const TensorId memory = way.alike ? state : graph.add_input("first_memory", kRow);
  if (way.made) x = scaled(graph, x, "entered");
  return {x, state, memory};
}

/// state = state · dense(x) + memory; memory = memory + state.
std::pair<TensorId, TensorId> add_cell(Graph& graph, const LinearModule& dense, TensorId x,
                                       TensorId state, TensorId memory, const std::string& prefix) {
  const TensorId made = apply_linear(graph, dense, "body", x, prefix + "made");
  const TensorId kept = times(graph, state, made, prefix + "kept");
  state = sum(graph, kept, memory, prefix + "state");
  return {state, sum(graph, memory, state, prefix + "memory")};
}

/// A loop that carries a state and a memory, hands out the last memory, and stacks both.
Graph cells(const Way& way, int iterations) {
  const Listed listed(std::vector<int>(static_cast<size_t>(iterations), 0));
  const WrittenOut written({"cell"});
  const Set set = way.list ? listed.set : written.set;
  Graph body = way.list ? listed.body() : Graph(set);
  const TensorId x = body.add_input("slice", kRow), state = body.add_input("state_before", kRow),
                 memory = body.add_input("memory_before", kRow);
  const LinearModule& dense = way.list ? listed.dense[0] : written.dense[0];
  const auto [new_state, new_memory] = add_cell(body, dense, x, state, memory, "");
  body.add_result("state", new_state);
  body.add_result("memory", new_memory);
  Graph graph(set);
  const Start given = start(graph, way, iterations);
  Loop loop{.name = "cells", .reverse = way.reverse};
  if (way.list) {
    loop.member = 0;
  } else {
    loop.length = Dimension(iterations, Axis::kPosition);
  }
  loop.bodies.push_back(
      {.graph = shared(std::move(body)),
       .arguments = {{.kind = Kind::kSlice, .given = given.x, .dimension = way.dimension},
                     {.kind = Kind::kCarried, .given = given.state, .result = 0},
                     {.kind = Kind::kCarried, .given = given.memory, .result = 1}}});
  loop.outputs = {{.result = 1}, {.result = 0, .stacked = true}, {.result = 1, .stacked = true}};
  const std::vector<TensorId> made = graph.add_loop(std::move(loop));
  graph.add_result("memory", made[0]);
  graph.add_result("states", scaled(graph, made[1], "left"));
  graph.add_result("memories", made[2]);
  return graph;
}

Graph cells_by_hand(const Way& way, int iterations) {
  std::vector<std::string> places;
  for (int i = 0; way.list && i < iterations; ++i) places.push_back(format("layers.{}", {i}));
  if (!way.list) places = {"cell"};
  const WrittenOut written(places);
  Graph graph(written.set);
  const Start given = start(graph, way, iterations);
  TensorId state = given.state, memory = given.memory;
  const auto count = static_cast<size_t>(iterations);
  std::vector<TensorId> states(count), memories(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = way.reverse ? count - 1 - i : i;
    const TensorId x = slice(graph, given.x, way.dimension, static_cast<int64_t>(at));
    const LinearModule& dense = written.dense[way.list ? i : 0];
    std::tie(state, memory) = add_cell(graph, dense, x, state, memory, format("{} ", {i}));
    states[at] = state;
    memories[at] = memory;
  }
  graph.add_result("memory", memory);
  graph.add_result("states", scaled(graph, stacked(graph, states, "states"), "left"));
  graph.add_result("memories", stacked(graph, memories, "memories"));
  return graph;
}

}  // namespace

TEST_CASE("two values are carried, the last is handed out, and those of all are stacked") {
  for (const int iterations : {1, 2, 3, 7}) {
    for (const bool reverse : {false, true}) {
      for (const int dimension : {0, 1, 2}) {
        for (const bool made : {false, true}) {
          for (const bool alike : {false, true}) {
            for (const bool list : {false, true}) {
              CAPTURE(iterations);
              CAPTURE(reverse);
              CAPTURE(dimension);
              CAPTURE(made);
              CAPTURE(alike);
              CAPTURE(list);
              const Way way{reverse, dimension, made, alike, list};
              check_same_as(cells_by_hand(way, iterations), cells(way, iterations));
            }
          }
        }
      }
    }
  }
}

namespace {

/// x -> entered, by the first rows of a weight -> cells that add what the first rows make of their
/// state and the second rows of their slice.
Graph cells_of_rows(int iterations, bool by_hand) {
  const Set set = std::make_shared<Parameters>("Whole");
  const ParameterId packed = set->add(set->add_module("cell", ""), "weight", {8, 4}, Init{});
  const std::vector<Weight> rows = set->split(packed, {"of_state", "of_slice"});
  const auto product = [&](Graph& graph, size_t part, TensorId x, const std::string& name) {
    return add(graph, shared_op<Linear>(), {x, graph.use(rows[part])}, name);
  };
  Graph graph(set);
  const TensorId x = graph.add_input("x", {iterations, 2, 4});
  TensorId state = product(graph, 0, graph.add_input("first", kRow), "entered");
  if (by_hand) {
    for (int i = 0; i < iterations; ++i) {
      const TensorId own = product(graph, 1, slice(graph, x, 0, i), format("of_slice {}", {i}));
      state = sum(graph, product(graph, 0, state, format("of_state {}", {i})), own,
                  format("state {}", {i}));
    }
  } else {
    Graph body(set);
    const TensorId own = body.add_input("slice", kRow), before = body.add_input("before", kRow);
    body.add_result("state", sum(body, product(body, 0, before, "of_state"),
                                 product(body, 1, own, "of_slice"), "state"));
    Loop loop{.name = "cells", .length = Dimension(iterations, Axis::kPosition)};
    loop.bodies.push_back({.graph = shared(std::move(body)),
                           .arguments = {{.kind = Kind::kSlice, .given = x},
                                         {.kind = Kind::kCarried, .given = state, .result = 0}}});
    loop.outputs = {{.result = 0}};
    state = graph.add_loop(std::move(loop))[0];
  }
  graph.add_result("state", state);
  return graph;
}

}  // namespace

TEST_CASE("iterations without a list use the same parameters, and the same rows of them") {
  const auto parameters = [](const Graph& graph) {
    return std::ranges::count(graph.tensors(), Role::kParameter, &Tensor::role);
  };
  for (const int iterations : {1, 2, 3, 7}) {
    CAPTURE(iterations);
    check_same_as(cells_of_rows(iterations, true), cells_of_rows(iterations, false));
    CHECK(parameters(unroll(cells_of_rows(iterations, false))) == 3);  // a weight, its two parts
    CHECK(parameters(unroll(cells({.list = false}, iterations))) == 2);
    CHECK(parameters(unroll(cells({}, iterations))) == 2 * iterations);
  }
}

TEST_CASE("iterations of a list can run again for their gradients, those without a list cannot") {
  CHECK(unroll_for_training(cells({}, 3)).iterations.size() == 3);
  CHECK(unroll_for_training(cells({.list = false}, 3)).iterations.empty());
}

TEST_CASE("a loop without a list is counted as what it unrolls to, and at any length") {
  for (const bool reverse : {false, true}) {
    const Way way{.reverse = reverse, .made = true, .list = false};
    const auto bytes_of = [&](int iterations) {
      const Graph graph = cells(way, iterations);
      const Lifetimes run = lifetimes(graph, Dtype::kFloat32, Sharing::kInference);
      const Lifetimes training = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining);
      Count saved = 0;
      for (const Count row : training.saved) saved += row;
      CHECK(kv_cache(graph, Dtype::kFloat32).bytes == 0);
      return std::vector{
          run.peak,      run.left, training.peak,
          training.left, saved,    cost(rows_of(graph), Dtype::kFloat32).total.operations.macs()};
    };
    // From some length on each iteration adds as much as the one before.
    const std::vector<Count> a = bytes_of(20), b = bytes_of(21), c = bytes_of(100'000);
    for (size_t i = 0; i < a.size(); ++i) {
      CAPTURE(i);
      CHECK(to_string(c[i]) == to_string(a[i] + (b[i] - a[i]) * (100'000 - 20)));
    }
  }
}

TEST_CASE("slices of an input along its first dimension are views, all others are made at once") {
  const auto steps = [](const Way& way) {
    std::vector<std::string> names;
    const Graph graph = unroll(cells(way, 2));
    for (const Step& step : graph.steps()) {
      if (step.op->name() != "stack" && step.op->name() != "unbind") continue;
      names.push_back(step.name);
      for (const TensorId id : step.inputs) names.push_back(graph.tensor(id).name);
      names.emplace_back("->");
      for (const TensorId id : step.outputs()) names.push_back(graph.tensor(id).name);
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  };
  CHECK(steps({}) ==
        "stacked_state layers.0.state layers.1.state -> stacked_state "
        "stacked_memory layers.0.memory layers.1.memory -> stacked_memory");
  CHECK(steps({.reverse = true, .made = true}) ==
        "layers.slice entered -> layers.1.slice layers.0.slice "
        "stacked_state layers.1.state layers.0.state -> stacked_state "
        "stacked_memory layers.1.memory layers.0.memory -> stacked_memory");
  CHECK(steps({.dimension = 1}).starts_with("layers.slice x -> layers.0.slice layers.1.slice "));
  const Graph graph = unroll(cells({.reverse = true}, 3));
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor& view = graph.tensor(graph.steps()[static_cast<size_t>(4 * i)].inputs[0]);
    CHECK(view.name == format("layers.{}.slice", {i}));
    CHECK(graph.tensor(view.storage).name == "x");
    CHECK(view.offset == (2 - i) * 8);
  }
}

TEST_CASE("what is stacked goes over the places of the list") {
  const Graph graph = cells({}, 3);
  const Loop& loop = graph.loops()[0];
  const auto made = [&](int result, bool stacked) {
    const Tensor& tensor = graph.tensor(loop.output_of(result, stacked));
    return format("{} {}", {tensor.name, to_string(tensor.shape, true)});
  };
  CHECK(loop.output_of(0, false) == kNoTensor);
  CHECK(made(1, false) == "memory (2, 4)");
  CHECK(made(0, true) == "stacked_state (3 layer, 2, 4)");
  CHECK(made(1, true) == "stacked_memory (3 layer, 2, 4)");
  CHECK(graph.steps()[0].output == kNoTensor);
  CHECK(graph.loop_of(graph.steps()[0]) == &loop);
  CHECK(loop.name == "layers");
  CHECK(loop.iterations() == 3);
}

TEST_CASE("a loop that has not been unrolled is no operation, and does not run") {
  const Graph graph = cells({}, 3);
  CHECK(std::ranges::empty(graph.steps()[0].outputs()));
  CHECK_THROWS_WITH_AS(find_tensors(graph, "Whole", {"state"}),
                       "Whole has no tensor \"state\"; its tensors are left", FieldError);
  CHECK_THROWS_WITH_AS(Schedule(graph, {}), "a schedule needs a graph without loops",
                       std::logic_error);
}

TEST_CASE("a row says how often a step runs, and in how many places its parameters stand") {
  for (const bool list : {false, true}) {
    for (const Row& row : rows_of(cells({.list = list}, 3))) {
      const bool within = row.body != nullptr;
      CHECK(row.times == (within ? 3 : 1));
      CHECK(row.places == (within && list ? 3 : 1));
    }
  }
}

namespace {

/// Each place multiplies its own slice of what is made, and adds what all are given.
Graph experts(bool by_hand) {
  const Listed listed({0, 0, 0}, "experts");
  const WrittenOut written({"experts.0", "experts.1", "experts.2"});
  Graph graph(by_hand ? written.set : listed.set);
  const TensorId x = graph.add_input("x", {3, 2, 4}), all = graph.add_input("all", kRow);
  const TensorId entered = scaled(graph, x, "entered");
  TensorId made = kNoTensor;
  if (by_hand) {
    std::vector<TensorId> parts;
    for (size_t i = 0; i < 3; ++i) {
      const TensorId part = slice(graph, entered, 0, static_cast<int64_t>(i));
      const TensorId product =
          apply_linear(graph, written.dense[i], "body", part, format("{} product", {i}));
      parts.push_back(sum(graph, product, all, format("{} expert", {i})));
    }
    made = stacked(graph, parts, "experts");
  } else {
    Graph body = listed.body();
    const TensorId part = body.add_input("part", kRow), shared_input = body.add_input("all", kRow);
    const TensorId product = apply_linear(body, listed.dense[0], "body", part, "product");
    body.add_result("expert", sum(body, product, shared_input, "expert"));
    Loop loop{.member = 0};
    loop.bodies.push_back(
        {.graph = shared(std::move(body)),
         .arguments = {{.kind = Kind::kSlice, .given = entered}, {.given = all}}});
    loop.outputs = {{.result = 0, .stacked = true}};
    made = graph.add_loop(std::move(loop))[0];
  }
  graph.add_result("output", times(graph, made, entered, "output"));
  return graph;
}

}  // namespace

TEST_CASE("a list without carried values goes over what a step makes, forward and backward") {
  check_same_as(experts(true), experts(false));
}

TEST_CASE("a slice by which nothing has a gradient gets zeros") {
  // Of three places the last alone is handed out, and none is carried.
  const Listed listed({0, 0, 0});
  Graph body = listed.body();
  const TensorId part = body.add_input("part", kRow);
  body.add_result("made", apply_linear(body, listed.dense[0], "body", part, "made"));
  Graph graph(listed.set);
  const TensorId x = graph.add_input("x", {3, 2, 4});
  Loop loop{.member = 0, .reverse = true};
  loop.bodies.push_back(
      {.graph = shared(std::move(body)),
       .arguments = {{.kind = Kind::kSlice, .given = scaled(graph, x, "entered")}}});
  loop.outputs = {{.result = 0}};
  graph.add_result("output", graph.add_loop(std::move(loop))[0]);

  const WrittenOut written({"layers.0", "layers.1", "layers.2"});
  Graph by_hand(written.set);
  const TensorId entered = scaled(by_hand, by_hand.add_input("x", {3, 2, 4}), "entered");
  by_hand.add_result("output", apply_linear(by_hand, written.dense[2], "body",
                                            slice(by_hand, entered, 0, 0), "output"));
  check_same_as(by_hand, graph);
}

namespace {

/// Groups of layers. A group's slice of x has a slice for each of its layers; all carry a state.
/// The states that the layers stack, the groups stack once more.
Graph groups() {
  const Listed layers({0, 0, 0});
  const Set of_groups = std::make_shared<Parameters>("Whole");
  const std::shared_ptr<const Parameters> one = layers.set;
  of_groups->add_member({"groups", {one}, {0, 0}});
  Graph cell = layers.body();
  const TensorId part = cell.add_input("part", kRow), before = cell.add_input("before", kRow);
  const TensorId product = apply_linear(cell, layers.dense[0], "body", part, "product");
  cell.add_result("after", times(cell, product, before, "after"));
  Graph group(one);
  const TensorId slices = group.add_input("slices", {3, 2, 4});
  const TensorId entered = group.add_input("entered", kRow);
  Loop inner{.member = 0};
  inner.bodies.push_back({.graph = shared(std::move(cell)),
                          .arguments = {{.kind = Kind::kSlice, .given = slices},
                                        {.kind = Kind::kCarried, .given = entered, .result = 0}}});
  inner.outputs = {{.result = 0}, {.result = 0, .stacked = true}};
  const std::vector<TensorId> of_layers = group.add_loop(std::move(inner));
  group.add_result("last", of_layers[0]);
  group.add_result("all", of_layers[1]);
  Graph graph(of_groups);
  const TensorId x = graph.add_input("x", {2, 3, 2, 4}), state = graph.add_input("state", kRow);
  Loop outer{.member = 0, .reverse = true};
  outer.bodies.push_back({.graph = shared(std::move(group)),
                          .arguments = {{.kind = Kind::kSlice, .given = x},
                                        {.kind = Kind::kCarried, .given = state, .result = 0}}});
  outer.outputs = {{.result = 1, .stacked = true}, {.result = 0}};
  const std::vector<TensorId> made = graph.add_loop(std::move(outer));
  graph.add_result("all", made[0]);
  graph.add_result("last", made[1]);
  return graph;
}

Graph groups_by_hand() {
  std::vector<std::string> places;
  for (int group = 0; group < 2; ++group) {
    for (int i = 0; i < 3; ++i) places.push_back(format("groups.{}.layers.{}", {group, i}));
  }
  const WrittenOut written(places);
  Graph graph(written.set);
  const TensorId x = graph.add_input("x", {2, 3, 2, 4});
  TensorId state = graph.add_input("state", kRow);
  std::vector<TensorId> all(2);
  for (size_t group = 0; group < 2; ++group) {
    const TensorId own = slice(graph, x, 0, static_cast<int64_t>(1 - group));
    std::vector<TensorId> states;
    for (size_t i = 0; i < 3; ++i) {
      const std::string name = format("{} {} ", {group, i});
      const TensorId part = slice(graph, own, 0, static_cast<int64_t>(i));
      const TensorId product =
          apply_linear(graph, written.dense[3 * group + i], "body", part, name + "product");
      states.push_back(state = times(graph, product, state, name + "after"));
    }
    all[1 - group] = stacked(graph, states, format("{} all", {group}));
  }
  graph.add_result("all", stacked(graph, all, "all"));
  graph.add_result("last", state);
  return graph;
}

}  // namespace

TEST_CASE("a list within a list takes slices of slices, and stacks what is stacked again") {
  check_same_as(groups_by_hand(), groups());
}

TEST_CASE("of lists within lists the outermost iterations are those that can run again") {
  const UnrolledForTraining training = unroll_for_training(groups());
  REQUIRE(training.iterations.size() == 2);
  for (size_t group = 0; group < 2; ++group) {
    const auto [begin, end] = training.iterations[group];
    const std::string prefix = format("groups.{}.", {group});
    REQUIRE(end - begin == 3 * 2 + 2);  // the slices, the cells, what they stack
    for (size_t s = begin; s < end; ++s) {
      CHECK(training.graph.steps()[s].name.starts_with(prefix));
    }
  }
  // With them the gradients are the same.
  Graph graphs[] = {training.graph, training.graph};
  for (const bool again : {false, true}) {
    Graph& graph = graphs[again];
    const Result all = graph.results()[0];
    const Shape shape = graph.tensor(all.tensor).shape;
    const Seed seeds[] = {{all.tensor, graph.add_input("gradient", shape)}};
    const std::vector<TensorId> wanted = graph.used_parameters();
    const std::span<const Iteration> iterations(training.iterations);
    const auto gradients =
        add_gradients(graph, seeds, wanted, iterations.first(again ? iterations.size() : 0));
    graph.set_results({});
    for (size_t i = 0; i < wanted.size(); ++i) {
      graph.add_result(graph.name_of(wanted[i]), gradients[i]);
    }
  }
  CHECK(graphs[1].steps().size() > graphs[0].steps().size());
  check_run(graphs[1], graphs[0]);
}

namespace {

/// Places of two kinds carry two values; each kind has slices of its own, and the second a value
/// more that all its places are given.
Graph kinds(bool reverse) {
  const Listed listed({1, 0, 0, 1, 0});
  Graph graph(listed.set);
  const TensorId x = graph.add_input("x", {3, 2, 4}),
                 other = graph.add_input("other", {2, 2, 2, 4}), all = graph.add_input("all", kRow),
                 state = graph.add_input("state", kRow), memory = graph.add_input("memory", kRow);
  const TensorId entered = scaled(graph, other, "other_entered");
  Loop loop{.member = 0, .reverse = reverse};
  for (const size_t kind : {0, 1}) {
    Graph body = listed.body(kind);
    const TensorId before = body.add_input("state_before", kRow);
    TensorId part = kind == 0 ? body.add_input("part", kRow) : body.add_input("parts", {2, 2, 4});
    TensorId shared_input = kNoTensor;
    if (kind == 1) {
      shared_input = body.add_input("all", kRow);
      part = add(body, make_op<SumTo>(kRow), {part}, "part");
    }
    const TensorId memory_before = body.add_input("memory_before", kRow);
    auto [after, kept] = add_cell(body, listed.dense[kind], part, before, memory_before, "");
    if (kind == 1) after = sum(body, after, shared_input, "shifted");
    body.add_result("state", after);
    body.add_result("memory", kept);
    std::vector<Argument> arguments{{.kind = Kind::kCarried, .given = state, .result = 0},
                                    {.kind = Kind::kSlice, .given = x},
                                    {.kind = Kind::kCarried, .given = memory, .result = 1}};
    if (kind == 1) {
      arguments[1] = {.kind = Kind::kSlice, .given = entered, .dimension = 1};
      arguments.insert(arguments.begin() + 2, Argument{.given = all});
    }
    loop.bodies.push_back({.graph = shared(std::move(body)),
                           .arguments = std::move(arguments),
                           .prefix = kind == 0 ? "" : "other_"});
  }
  loop.outputs = {{.result = 1}, {.result = 0}};
  const std::vector<TensorId> made = graph.add_loop(std::move(loop));
  graph.add_result("memory", made[0]);
  graph.add_result("state", made[1]);
  return graph;
}

Graph kinds_by_hand(bool reverse) {
  const WrittenOut written({"layers.0", "layers.1", "layers.2", "layers.3", "layers.4"});
  Graph graph(written.set);
  const TensorId x = graph.add_input("x", {3, 2, 4}),
                 other = graph.add_input("other", {2, 2, 2, 4}), all = graph.add_input("all", kRow);
  TensorId state = graph.add_input("state", kRow), memory = graph.add_input("memory", kRow);
  const TensorId entered = scaled(graph, other, "other_entered");
  // Of which kind a place is, and how many of that kind come before it.
  constexpr std::pair<int, int64_t> kPlaces[] = {{1, 0}, {0, 0}, {0, 1}, {1, 1}, {0, 2}};
  for (size_t i = 0; i < 5; ++i) {
    const auto [kind, before] = kPlaces[i];
    const std::string name = format("{} ", {i});
    const int64_t at = reverse ? (kind == 0 ? 2 : 1) - before : before;
    TensorId part = slice(graph, kind == 0 ? x : entered, kind, at);
    if (kind == 1) part = add(graph, make_op<SumTo>(kRow), {part}, name + "part");
    std::tie(state, memory) = add_cell(graph, written.dense[i], part, state, memory, name);
    if (kind == 1) state = sum(graph, state, all, name + "shifted");
  }
  graph.add_result("memory", memory);
  graph.add_result("state", state);
  return graph;
}

}  // namespace

TEST_CASE("places of two kinds carry to each other, and each kind has slices of its own") {
  for (const bool reverse : {false, true}) {
    CAPTURE(reverse);
    check_same_as(kinds_by_hand(reverse), kinds(reverse));
  }
}

TEST_CASE("slices are counted among those of their kind, and reversed there") {
  Loop loop;
  loop.list = std::make_shared<const Member>(Member{"layers", {}, {1, 0, 0, 1, 0}});
  const auto slices = [&] {
    std::vector<int64_t> slices;
    for (int64_t i = 0; i < loop.iterations(); ++i) slices.push_back(loop.slice(i));
    return slices;
  };
  CHECK(slices() == std::vector<int64_t>{0, 0, 1, 1, 2});
  loop.reverse = true;
  CHECK(slices() == std::vector<int64_t>{1, 2, 1, 0, 0});
  CHECK(loop.iterations_of(1) == 2);
  Loop other{.length = Dimension(3, Axis::kPosition), .reverse = true};
  CHECK(other.slice(0) == 2);
  CHECK(other.iterations() == 3);
}

TEST_CASE("a parameter may have a slice for each place, and what is given may be stacked") {
  const Set set = std::make_shared<Parameters>("Whole"),
            plain = std::make_shared<Parameters>("One");
  const int table = set->add_module("table", "");
  const ParameterId rows = set->add(table, "weight", {3, 2, 4});
  set->add_member({"layers", {plain}, {0, 0, 0}});
  Graph body(plain), graph(set);
  const TensorId part = body.add_input("part", kRow), row = body.add_input("row", kRow);
  body.add_result("sum", sum(body, part, row, "sum"));
  body.add_result("row", row);
  const TensorId x = graph.add_input("x", {3, 2, 4});
  Loop loop{.member = 0};
  loop.bodies.push_back({.graph = shared(std::move(body)),
                         .arguments = {{.kind = Kind::kSlice, .given = x},
                                       {.kind = Kind::kSlice, .given = graph.use({rows})}}});
  loop.outputs = {{.result = 0, .stacked = true}, {.result = 1, .stacked = true}};
  const std::vector<TensorId> made = graph.add_loop(std::move(loop));
  graph.add_result("sum", made[0]);
  graph.add_result("rows", made[1]);

  const Set written = std::make_shared<Parameters>("Whole");
  written->add(written->add_module("table", ""), "weight", {3, 2, 4});
  Graph by_hand(written);
  const TensorId y = by_hand.add_input("x", {3, 2, 4}), weight = by_hand.use({0});
  std::vector<TensorId> sums, parts;
  for (int i = 0; i < 3; ++i) {
    parts.push_back(slice(by_hand, weight, 0, i));
    sums.push_back(sum(by_hand, slice(by_hand, y, 0, i), parts.back(), format("{} sum", {i})));
  }
  by_hand.add_result("sum", stacked(by_hand, sums, "sums"));
  by_hand.add_result("rows", stacked(by_hand, parts, "rows"));
  check_same_as(by_hand, graph);
}

TEST_CASE("a loop is printed with what it carries, takes in slices and stacks") {
  const Layer toy{"toy", "Toy", "toys", 0, "Cells.", "Toy", {}, nullptr};
  const auto printed = [&](const Graph& graph) {
    const std::string text = classes_text(toy, graph);
    return text.substr(text.rfind("    def forward"));
  };
  CHECK(printed(cells({}, 3)) == R"(    def forward(self, x, first_state, first_memory):
        # x: (3, 2, 4)
        # first_state: (2, 4)
        # first_memory: (2, 4)
        stacked_state = []
        stacked_memory = []
        for layer, slice in zip(self.layers, x):
            first_state, first_memory = layer(first_state, first_memory, slice)  # (2, 4)
            stacked_state.append(first_state)
            stacked_memory.append(first_memory)
        stacked_state = torch.stack(stacked_state)  # (3, 2, 4)
        stacked_memory = torch.stack(stacked_memory)  # (3, 2, 4)
        left = stacked_state * 0.5  # (3, 2, 4)
        return first_memory, left, stacked_memory
)");
  const std::string reversed = printed(cells({.reverse = true, .dimension = 1, .alike = true}, 3));
  const auto has = [&](const char* part) {
    CAPTURE(reversed);
    CAPTURE(part);
    CHECK(reversed.find(part) != reversed.npos);
  };
  has("        state_before = first_state\n        memory_before = first_state\n");
  has("for layer, slice in zip(self.layers, x.unbind(1)[::-1]):\n");
  has("state_before, memory_before = layer(state_before, memory_before, slice)");
  has("stacked_memory = torch.stack(stacked_memory[::-1])");
  has("return memory_before, left, stacked_memory\n");
  CHECK(printed(experts(false)).find(R"(
        stacked_expert = []
        for layer, part in zip(self.experts, entered):
            expert = layer(part, all)  # (2, 4)
            stacked_expert.append(expert)
        stacked_expert = torch.stack(stacked_expert)  # (3, 2, 4)
)") != std::string::npos);
}

namespace {

/// Its first input with other numbers in it.
class Overwrite final : public SingleOp {
 public:
  std::string_view name() const override { return "overwrite"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kInPlace; }
  Array forward(const std::vector<const Array*>& inputs) const override { return *inputs[0]; }
  std::string pytorch(const std::vector<std::string>& inputs, std::string_view) const override {
    return format("{}.neg_()", {inputs[0]});
  }
};

/// A loop of one body, which the caller changes before it is added.
struct Trial {
  explicit Trial(std::vector<int> order = {0, 0}) : listed(std::move(order)) {}

  /// `op` makes what the body returns of what it carries.
  void carry(const OpPtr& op) {
    Graph body = listed.body();
    const TensorId before = body.add_input("before", kRow);
    body.add_result("after", add(body, op, {before}, "after"));
    use(std::move(body), {{.kind = Kind::kCarried, .given = x, .result = 0}});
  }
  void use(Graph body, std::vector<Argument> arguments) {
    loop.bodies.push_back({.graph = shared(std::move(body)), .arguments = std::move(arguments)});
  }
  std::vector<TensorId> run() { return graph.add_loop(loop); }

  Listed listed;
  Graph graph{listed.set};
  TensorId x = graph.add_input("x", kRow);
  TensorId whole = graph.add_input("whole", {2, 2, 4});
  Loop loop{.member = 0, .outputs = {{.result = 0}}};
};

const OpPtr kHalf = make_op<Scale>(0.5);

}  // namespace

TEST_CASE("a body that does not fit its list is refused") {
  Trial more({0, 1});
  more.carry(kHalf);
  CHECK_THROWS_WITH(more.run(), "layers lists 2 kinds, got 1 bodies");
  Trial longer;
  longer.carry(kHalf);
  longer.loop.length = Dimension(2);
  CHECK_THROWS_WITH(longer.run(), "layers is as long as its list, got a length");
}

TEST_CASE("what a body is given must fit what it takes") {
  Trial none;
  none.carry(kHalf);
  none.loop.bodies[0].arguments.clear();
  CHECK_THROWS_WITH(none.run(), "OneLayer takes 1 inputs, got 0");
  Trial nothing;
  nothing.carry(kHalf);
  nothing.loop.bodies[0].arguments[0].given = kNoTensor;
  CHECK_THROWS_WITH(nothing.run(), "OneLayer is given nothing as before");
  Trial other;
  other.carry(kHalf);
  other.loop.bodies[0].arguments[0].given = other.whole;
  CHECK_THROWS_WITH(other.run(), "OneLayer takes (2, 4) as before, got (2, 2, 4)");
  Trial fewer({0, 0, 0});
  fewer.carry(kHalf);
  fewer.loop.bodies[0].arguments[0] = {.kind = Kind::kSlice, .given = fewer.whole};
  CHECK_THROWS_WITH(fewer.run(), "OneLayer takes (3, 2, 4) as before, got (2, 2, 4)");
  Trial along;
  along.carry(kHalf);
  along.loop.bodies[0].arguments[0] = {.kind = Kind::kSlice, .given = along.whole, .dimension = 3};
  CHECK_THROWS_WITH(along.run(),
                    "OneLayer takes slices along dimension 3 as before, which is (2, 4)");
  Trial masked;
  const TensorId mask = masked.graph.add_input("mask", {2, 2, 4}, Role::kOptionalInput);
  masked.carry(kHalf);
  masked.loop.bodies[0].arguments[0] = {.kind = Kind::kSlice, .given = mask};
  CHECK_THROWS_WITH(masked.run(), "OneLayer takes slices of mask, which is optional");
}

TEST_CASE("two arguments are given the same memory only where both are carried") {
  for (const Kind second : {Kind::kInvariant, Kind::kCarried}) {
    Trial twice;
    Graph body = twice.listed.body();
    const TensorId a = body.add_input("a", kRow), b = body.add_input("b", kRow);
    body.add_result("sum", sum(body, a, b, "sum"));
    twice.use(std::move(body), {{.kind = Kind::kCarried, .given = twice.x, .result = 0},
                                {.kind = second, .given = twice.x, .result = 0}});
    if (second == Kind::kCarried) {
      CHECK(twice.run().size() == 1);
    } else {
      CHECK_THROWS_WITH(twice.run(), "OneLayer is given x twice");
    }
  }
}

TEST_CASE("results that are carried or handed out must be there, and fit") {
  Trial shorter;
  shorter.carry(make_op<SumTo>(Shape{1, 4}));
  CHECK_THROWS_WITH(shorter.run(), "OneLayer makes (1, 4) of (2, 4)");
  Trial carried;
  carried.carry(kHalf);
  carried.loop.bodies[0].arguments[0].result = 1;
  CHECK_THROWS_WITH(carried.run(), "OneLayer has no result 1");
  Trial handed;
  handed.carry(kHalf);
  handed.loop.outputs[0].result = 2;
  CHECK_THROWS_WITH(handed.run(), "OneLayer has no result 2");
}

TEST_CASE("a result is no view, and an input only where it is stacked") {
  Trial view;
  view.carry(make_op<Reshape>(kRow));
  CHECK_THROWS_WITH(view.run(), "layers returns after, which is a view");
  Trial dropped;
  dropped.carry(make_op<Dropout>(0.5));
  CHECK_THROWS_WITH(dropped.run(), "layers returns after, which is a view");
  for (const bool stacked : {false, true}) {
    Trial input;
    Graph body = input.listed.body();
    const TensorId slice = body.add_input("slice", kRow);
    body.add_result("slice", slice);
    input.use(std::move(body), {{.kind = Kind::kSlice, .given = input.whole}});
    input.loop.outputs[0].stacked = stacked;
    if (stacked) {
      CHECK(input.run().size() == 1);
    } else {
      CHECK_THROWS_WITH(input.run(), "layers returns slice, which it is given");
    }
  }
}

TEST_CASE("a result may lie in place of what its body makes, not of what it is given") {
  Trial given;
  given.carry(make_op<Overwrite>());
  CHECK_THROWS_WITH(given.run(), "layers returns after in place of before, which it is given");
  Trial made;
  Graph body = made.listed.body();
  const TensorId half = add(body, kHalf, {body.add_input("before", kRow)}, "half");
  body.add_result("after", add(body, make_op<Overwrite>(), {half}, "after"));
  made.use(std::move(body), {{.kind = Kind::kCarried, .given = made.x, .result = 0}});
  made.graph.add_result("after", made.run()[0]);
  const Graph unrolled = unroll(made.graph);
  const TensorId last = unrolled.results()[0].tensor;
  CHECK(unrolled.tensor(last).name == "layers.1.after");
  CHECK(unrolled.tensor(unrolled.tensor(last).storage).name == "layers.1.half");
  Trial viewed;  // in place of a view
  Graph other = viewed.listed.body();
  const TensorId flat =
      add(other, make_op<Reshape>(kRow), {other.add_input("before", kRow)}, "flat");
  other.add_result("after", add(other, make_op<Overwrite>(), {flat}, "after"));
  viewed.use(std::move(other), {{.kind = Kind::kCarried, .given = viewed.x, .result = 0}});
  CHECK_THROWS_WITH(viewed.run(), "layers returns after, which is a view");
}

TEST_CASE(
    "kinds that make results of their own kind are not stacked, and have names of their own") {
  const auto trial = [](const char* prefix) {
    Trial trial({0, 1});
    for (const size_t kind : {0, 1}) {
      Graph body = trial.listed.body(kind);
      body.add_result("after", add(body, kHalf, {body.add_input("before", kRow)}, "after"));
      trial.use(std::move(body), {{.kind = Kind::kCarried, .given = trial.x, .result = 0}});
    }
    trial.loop.bodies[1].prefix = prefix;
    return trial;
  };
  Trial stacks = trial("other_");
  stacks.loop.outputs[0].stacked = true;
  CHECK_THROWS_WITH(stacks.run(), "layers stacks after of several kinds");
  CHECK(trial("other_").run().size() == 1);
  CHECK_THROWS_WITH(trial("").run(), "OtherLayer makes after, as another step is called");
  Trial around;
  add(around.graph, kHalf, {around.x}, "my_after");
  around.carry(kHalf);
  around.loop.bodies[0].prefix = "my_";
  CHECK_THROWS_WITH(around.run(), "OneLayer makes my_after, as another step is called");
  Trial tensor;
  tensor.graph.add_step("other", "combine", kHalf, {tensor.x}, "after");
  tensor.carry(kHalf);
  CHECK_THROWS_WITH(tensor.run(), "OneLayer makes after, as another tensor is called");
}

TEST_CASE("a loop without a list that does not fit together is refused") {
  // The cell of such a loop is a graph over the parameters around it.
  const auto trial = [](std::optional<Dimension> length) {
    Trial trial;
    Graph body(trial.listed.set);
    body.add_result("after", add(body, kHalf, {body.add_input("before", kRow)}, "after"));
    trial.loop = Loop{.name = "cells", .length = length, .outputs = {{.result = 0}}};
    trial.use(std::move(body), {{.kind = Kind::kCarried, .given = trial.x, .result = 0}});
    return trial;
  };
  CHECK(trial(Dimension(7, Axis::kPosition)).run().size() == 1);
  CHECK_THROWS_WITH(trial({}).run(), "cells needs a list or a length, above 0");
  CHECK_THROWS_WITH(trial(Dimension(0, Axis::kPosition)).run(),
                    "cells needs a list or a length, above 0");
  CHECK_THROWS_WITH(trial(Dimension(7, Axis::kLayer)).run(),
                    "cells goes along layers without a list of them");
  Trial two = trial(Dimension(7, Axis::kPosition));
  two.loop.bodies.push_back(two.loop.bodies[0]);
  CHECK_THROWS_WITH(two.run(), "cells has no list, got 2 bodies");
  Trial fits = trial(Dimension(7, Axis::kPosition));
  fits.loop.bodies[0].arguments[0].given = fits.whole;
  CHECK_THROWS_WITH(fits.run(), "cells takes (2, 4) as before, got (2, 2, 4)");
  Trial own = trial(Dimension(7, Axis::kPosition));
  own.loop.bodies.clear();
  own.carry(kHalf);
  CHECK_THROWS_WITH(own.run(),
                    "cells has no list, and a body of other parameters than those around it");

  Trial nested = trial(Dimension(7, Axis::kPosition));
  nested.loop.bodies.clear();
  Graph cell(nested.listed.set), layer = nested.listed.body();
  layer.add_result("after", add(layer, kHalf, {layer.add_input("before", kRow)}, "after"));
  Loop inner{.member = 0, .outputs = {{.result = 0}}};
  inner.bodies.push_back(
      {.graph = shared(std::move(layer)),
       .arguments = {{.kind = Kind::kCarried, .given = cell.add_input("x", kRow), .result = 0}}});
  cell.add_result("after", cell.add_loop(std::move(inner))[0]);
  nested.use(std::move(cell), {{.kind = Kind::kCarried, .given = nested.x, .result = 0}});
  CHECK_THROWS_WITH(nested.run(), "cells has no list, and a loop in its body");

  Trial cached = trial(Dimension(7, Axis::kPosition));
  cached.loop.bodies.clear();
  Graph keeps(cached.listed.set);
  const TensorId after = add(keeps, kHalf, {keeps.add_input("before", kRow)}, "after");
  keeps.add_result("after", after);
  keeps.add_state({.rule = StateUse::Rule::kAppended, .name = "cache", .after = after});
  cached.use(std::move(keeps), {{.kind = Kind::kCarried, .given = cached.x, .result = 0}});
  CHECK_THROWS_WITH(cached.run(), "cells has no list, and a state in its body");
}
