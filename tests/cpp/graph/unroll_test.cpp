#include "../../../cpp/graph/unroll.h"

#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/run/parameters.h"
#include "../../../cpp/run/reference.h"
#include "../support.h"

using namespace attnscope;

namespace {

using Names = std::vector<std::string>;

/// x goes through `first`, then `times` times through a layer that adds its own part of the input
/// `pasts` to what `dense` makes, or in every second layer multiplies both, then through `last`.
Graph stack(int64_t times) {
  Graph graph;
  const LinearModule first = declare_linear(graph, "first", 1, 1, false);
  const TensorId x = graph.add_input("x", {1, 1});
  const TensorId entered = apply_linear(graph, first, "in", x, "entered");
  graph.begin_block("layers", "OneLayer", times, entered);
  const LinearModule dense = declare_linear(graph, "dense", 1, 1, true);
  const TensorId past = graph.add_repeated_input("past", {1, 1});
  const TensorId made = apply_linear(graph, dense, "body", entered, "made");
  const TensorId joined =
      graph.add_step("join", "body", std::make_shared<const Add>(), {made, past}, "joined");
  graph.set_exception(2, std::make_shared<const Multiply>());
  graph.add_cache({past, joined, 1, 1, std::nullopt, 0});
  graph.end_block(joined);
  const LinearModule last = declare_linear(graph, "last", 1, 1, false);
  graph.add_result("output", apply_linear(graph, last, "out", joined, "output"));
  graph.add_result("made", made);
  return graph;
}

Names step_names(const Graph& graph) {
  Names names;
  for (const Step& step : graph.steps()) names.push_back(step.name);
  return names;
}

Names names_of(const Graph& graph, const std::vector<TensorId>& ids) {
  Names names;
  for (const TensorId id : ids) names.push_back(graph.tensor(id).name);
  return names;
}

TensorId find(const Graph& graph, const std::string& name) {
  for (size_t id = 0; id < graph.tensors().size(); ++id) {
    if (graph.tensors()[id].name == name) return static_cast<TensorId>(id);
  }
  return kNoTensor;
}

}  // namespace

TEST_CASE("each repetition has steps and parameters of its own, in the order of PyTorch's") {
  const Graph graph = unroll(stack(3));
  CHECK(graph.blocks().empty());
  CHECK(step_names(graph) == Names{"first", "layers.0.dense", "layers.0.join", "layers.1.dense",
                                   "layers.1.join", "layers.2.dense", "layers.2.join", "last"});
  const Names parameters{"first.weight",        "layers.0.dense.weight",
                         "layers.0.dense.bias", "layers.1.dense.weight",
                         "layers.1.dense.bias", "layers.2.dense.weight",
                         "layers.2.dense.bias", "last.weight"};
  CHECK(names_of(graph, state_order(graph)) == parameters);
  std::vector<TensorId> drawn;
  for (const Draw& draw : graph.draws()) drawn.push_back(draw.parameter);
  CHECK(names_of(graph, drawn) == parameters);
}

TEST_CASE("a repetition reads what the one before has made, and what follows reads the last") {
  const Graph graph = unroll(stack(3));
  const auto reads = [&](size_t step) { return names_of(graph, graph.steps()[step].inputs); };
  CHECK(reads(1) == Names{"entered", "layers.0.dense.weight", "layers.0.dense.bias"});
  CHECK(reads(3) == Names{"layers.0.joined", "layers.1.dense.weight", "layers.1.dense.bias"});
  CHECK(reads(7) == Names{"layers.2.joined", "last.weight"});
  CHECK(graph.tensor(graph.results()[1].tensor).name == "layers.2.made");
}

TEST_CASE("every n-th repetition does the exception, and each step calls its own module") {
  const Graph graph = unroll(stack(4));
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Step &dense = graph.steps()[1 + 2 * i], &join = graph.steps()[2 + 2 * i];
    CHECK(join.op->name() == (i % 2 == 0 ? "add" : "multiply"));
    CHECK(join.exception.every == 0);
    CHECK(graph.modules()[static_cast<size_t>(dense.module)].name ==
          "layers." + std::to_string(i) + ".dense");
  }
}

TEST_CASE("a repetition's part of an input, and its cache, are views of the stack") {
  const Graph graph = unroll(stack(3));
  const TensorId pasts = find(graph, "pasts");
  REQUIRE(pasts != kNoTensor);
  CHECK(graph.tensor(pasts).shape == Shape{3, 1, 1});
  CHECK(graph.tensor(pasts).storage == pasts);
  REQUIRE(graph.caches().size() == 3);
  for (int64_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    const std::string layer = "layers." + std::to_string(i) + ".";
    const TensorId past = find(graph, layer + "past");
    CHECK(graph.tensor(past).storage == pasts);
    CHECK(graph.tensor(past).offset == i);
    const Cache& cache = graph.caches()[static_cast<size_t>(i)];
    CHECK(cache.past == past);
    CHECK(graph.tensor(cache.present).name == layer + "joined");
  }
}

TEST_CASE("the numbers are those of the repetitions one after the other") {
  const Graph graph = unroll(stack(3));
  State state;
  for (const float one : {2.0f, 2.0f, 1.0f, 3.0f, 1.0f, 5.0f, 1.0f, 1.0f}) {
    state.push_back(make_values({1, 1}));
    state.back().fill(one);
  }
  for (const size_t bias : {2, 4, 6}) state[bias].reshape({1});
  Values x = make_values({1, 1}), pasts = make_values({3, 1, 1});
  x.fill(1);
  for (size_t i = 0; i < 3; ++i) pasts.data()[i] = static_cast<float>(10 * (i + 1));
  Inputs inputs(graph.tensors().size());
  inputs[static_cast<size_t>(find(graph, "x"))] = &x;
  inputs[static_cast<size_t>(find(graph, "pasts"))] = &pasts;
  // 2·1; 2·2 + 1 + 10 = 15; (3·15 + 1)·20 = 920; 5·920 + 1 + 30 = 4631
  const Outputs outputs = run_reference(graph, parameters_of(graph, state), inputs);
  CHECK(outputs[0].data()[0] == 4631.0f);
  CHECK(outputs[1].data()[0] == 4601.0f);
}

TEST_CASE("rows of a shared parameter and views of activations stay views") {
  Graph graph;
  const LinearModule table = declare_linear(graph, "table", 1, 4, false);
  const TensorId x = graph.add_input("x", {2, 1});
  graph.begin_block("layers", "OneLayer", 2, x);
  const TensorId row = graph.add_rows(table.weight, 2, 3);
  const TensorId flat =
      graph.add_step("flat", "body", std::make_shared<const Squeeze>(), {x}, "flat");
  const TensorId sum =
      graph.add_step("sum", "body", std::make_shared<const Add>(), {x, row}, "sum");
  graph.end_block(sum);
  graph.add_result("flat", flat);
  const Graph unrolled = unroll(graph);
  const TensorId weight = find(unrolled, "table.weight"),
                 rows = find(unrolled, "table.weight[2:3]");
  CHECK(unrolled.tensor(rows).storage == weight);
  CHECK(unrolled.tensor(rows).offset == 2);
  CHECK(unrolled.tensor(find(unrolled, "layers.0.flat")).storage == find(unrolled, "x"));
  CHECK(unrolled.tensor(find(unrolled, "layers.1.flat")).storage == find(unrolled, "layers.0.sum"));
}

TEST_CASE("a graph without blocks unrolls to itself") {
  const Graph graph = testing::graph_of(testing::config("additive_scorer")), same = unroll(graph);
  CHECK(step_names(same) == step_names(graph));
  REQUIRE(same.tensors().size() == graph.tensors().size());
  for (size_t id = 0; id < same.tensors().size(); ++id) {
    CHECK(same.tensors()[id].name == graph.tensors()[id].name);
    CHECK(same.tensors()[id].storage == graph.tensors()[id].storage);
  }
}

TEST_CASE("a block within a block, or one that changes its shape, is refused") {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 1});
  graph.begin_block("layers", "OneLayer", 2, x);
  CHECK_THROWS_WITH(graph.begin_block("inner", "Inner", 2, x), "block inner is inside another");
  const TensorId flat =
      graph.add_step("flat", "body", std::make_shared<const Squeeze>(), {x}, "flat");
  CHECK_THROWS_WITH(graph.end_block(flat), "block layers makes (2,) of (2, 1)");
}
