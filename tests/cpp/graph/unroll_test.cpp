#include "../../../cpp/graph/unroll.h"

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/graph/rows.h"
#include "../../../cpp/layers/stack.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/dropout.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/run/parameters.h"
#include "../../../cpp/run/reference.h"
#include "../support.h"

using namespace attnscope;

namespace {

using Names = std::vector<std::string>;

using Set = std::shared_ptr<Parameters>;

/// A layer that adds its own part of a stack to what `dense` makes, or multiplies both.
StackedLayer layer_of(const Graph& around, size_t kind, TensorId entered, const OpPtr& join,
                      const LinearModule& dense, const char* prefix) {
  StackedLayer layer(around, 0, kind, entered, prefix);
  Graph& graph = layer.graph();
  const TensorId past = graph.add_input("past", {1, 1});
  const TensorId made = apply_linear(graph, dense, "body", layer.carried(), "made");
  const TensorId joined = graph.add_step("join", "body", join, {made, past}, "joined");
  graph.add_state({.rule = StateUse::Rule::kAppended,
                   .name = "cache",
                   .before = past,
                   .after = joined,
                   .new_positions = 1});
  graph.advance("past_len", 1);
  graph.add_result("output", joined);
  graph.add_result("made", made);
  return layer;
}

/// x goes through `first`, then through layers that multiply where `order` has a 1 and add where it
/// has a 0, then through `last`.
Graph stack(std::vector<int> order) {
  const bool both = std::find(order.begin(), order.end(), 1) != order.end();
  const Set set = std::make_shared<Parameters>(), adding = std::make_shared<Parameters>("Adding"),
            multiplying = std::make_shared<Parameters>("Multiplying");
  const LinearModule first = declare_linear(*set, "first", 1, 1, false);
  const LinearModule added = declare_linear(*adding, "dense", 1, 1, true),
                     multiplied = declare_linear(*multiplying, "dense", 1, 1, true);
  Member layers{"layers", {adding}, std::move(order)};
  if (both) layers.kinds.push_back(multiplying);
  set->add_member(std::move(layers));
  const LinearModule last = declare_linear(*set, "last", 1, 1, false);

  Graph graph(set);
  const TensorId x = graph.add_input("x", {1, 1});
  const TensorId entered = apply_linear(graph, first, "in", x, "entered");
  std::vector<StackedLayer> kinds;
  kinds.push_back(layer_of(graph, 0, entered, shared_op<Add>(), added, ""));
  if (both) {
    kinds.push_back(layer_of(graph, 1, entered, shared_op<Multiply>(), multiplied, "other_"));
  }
  const std::vector<TensorId> made = add_stack(graph, 0, std::move(kinds));
  graph.add_result("output", apply_linear(graph, last, "out", made[0], "output"));
  graph.add_result("made", made[1]);
  return graph;
}

Names step_names(const Graph& graph) {
  Names names;
  for (const Step& step : graph.steps()) names.push_back(step.name);
  return names;
}

Names names_of(const Graph& graph, const std::vector<TensorId>& ids) {
  Names names;
  for (const TensorId id : ids) names.push_back(graph.name_of(id));
  return names;
}

TensorId find(const Graph& graph, const std::string& name) {
  for (TensorId id = 0; id < std::ssize(graph.tensors()); ++id) {
    if (graph.name_of(id) == name) return id;
  }
  return kNoTensor;
}

}  // namespace

TEST_CASE("each iteration has steps and parameters of its own, in the order of PyTorch's") {
  const Graph graph = unroll(stack({0, 0, 0}));
  CHECK(graph.loops().empty());
  CHECK(step_names(graph) == Names{"first", "layers.0.dense", "layers.0.join", "layers.1.dense",
                                   "layers.1.join", "layers.2.dense", "layers.2.join", "last"});
  const Names parameters{"first.weight",        "layers.0.dense.weight",
                         "layers.0.dense.bias", "layers.1.dense.weight",
                         "layers.1.dense.bias", "layers.2.dense.weight",
                         "layers.2.dense.bias", "last.weight"};
  CHECK(names_of(graph, graph.used_parameters()) == parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    CHECK(graph.parameters().at(i).first == parameters[i]);
    CHECK(graph.tensor(graph.used_parameters()[i]).parameter == static_cast<ParameterId>(i));
  }
}

TEST_CASE("an iteration reads what the one before has made, and what follows reads the last") {
  const Graph graph = unroll(stack({0, 0, 0}));
  const auto reads = [&](size_t step) { return names_of(graph, graph.steps()[step].inputs); };
  CHECK(reads(1) == Names{"entered", "layers.0.dense.weight", "layers.0.dense.bias"});
  CHECK(reads(3) == Names{"layers.0.joined", "layers.1.dense.weight", "layers.1.dense.bias"});
  CHECK(reads(7) == Names{"layers.2.joined", "last.weight"});
  CHECK(graph.tensor(graph.results()[1].tensor).name == "layers.2.made");
}

TEST_CASE("each iteration is of its own body, and each step calls its own module") {
  const Graph graph = unroll(stack({0, 1, 1, 0}));
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Step &dense = graph.steps()[1 + 2 * i], &join = graph.steps()[2 + 2 * i];
    CHECK(join.op->name() == (i == 0 || i == 3 ? "add" : "multiply"));
    CHECK(graph.module_of(dense) == "layers." + std::to_string(i) + ".dense");
  }
}

TEST_CASE("each body has a stack of its own, of which its iterations take one part after another") {
  const Graph graph = unroll(stack({0, 1, 1, 0}));
  const std::vector<std::pair<std::string, int64_t>> expected{
      {"pasts", 0}, {"other_pasts", 0}, {"other_pasts", 1}, {"pasts", 1}};
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Tensor& past = graph.tensor(graph.steps()[2 + 2 * i].inputs[1]);
    CHECK(past.name == "layers." + std::to_string(i) + ".past");
    CHECK(graph.tensor(past.storage).name == expected[i].first);
    CHECK(past.offset == expected[i].second);
  }
}

TEST_CASE("an iteration's part of an input, and its cache, are views of the stack") {
  const Graph graph = unroll(stack({0, 0, 0}));
  const TensorId pasts = find(graph, "pasts");
  REQUIRE(pasts != kNoTensor);
  CHECK(graph.tensor(pasts).shape == Shape{3, 1, 1});
  CHECK(graph.tensor(pasts).storage == pasts);
  REQUIRE(graph.states().size() == 3);
  CHECK(graph.advances().of("past_len") == 1);
  for (int64_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    const std::string layer = "layers." + std::to_string(i) + ".";
    const TensorId past = find(graph, layer + "past");
    CHECK(graph.tensor(past).storage == pasts);
    CHECK(graph.tensor(past).offset == i);
    const StateUse& cache = graph.states()[static_cast<size_t>(i)];
    CHECK(cache.name == layer + "cache");
    CHECK(cache.before == past);
    CHECK(graph.tensor(cache.after).name == layer + "joined");
  }
}

TEST_CASE("the numbers are those of the iterations one after the other") {
  const Graph graph = unroll(stack({0, 1, 0}));
  ParameterValues weights;
  for (const float one : {2.0f, 2.0f, 1.0f, 3.0f, 1.0f, 5.0f, 1.0f, 1.0f}) {
    weights.push_back(make_values({1, 1}));
    weights.back().fill(one);
  }
  for (const size_t bias : {2, 4, 6}) weights[bias].reshape({1});
  Values x = make_values({1, 1}), pasts = make_values({2, 1, 1}), other = make_values({1, 1, 1});
  x.fill(1);
  pasts.data()[0] = 10, pasts.data()[1] = 30, other.fill(20);
  Inputs inputs(graph.tensors().size());
  inputs[static_cast<size_t>(find(graph, "x"))] = &x;
  inputs[static_cast<size_t>(find(graph, "pasts"))] = &pasts;
  inputs[static_cast<size_t>(find(graph, "other_pasts"))] = &other;
  // 2·1; 2·2 + 1 + 10 = 15; (3·15 + 1)·20 = 920; 5·920 + 1 + 30 = 4631
  const Outputs outputs = run_reference(graph, weights, inputs);
  CHECK(outputs[0].data()[0] == 4631.0f);
  CHECK(outputs[1].data()[0] == 4601.0f);
}

TEST_CASE("rows of a parameter that is given and views of activations stay views") {
  const Set set = std::make_shared<Parameters>();
  const LinearModule table = declare_linear(*set, "table", 1, 4, false);
  set->add_member({"layers", {std::make_shared<Parameters>("OneLayer")}, {0, 0}});
  Graph graph(set);
  const TensorId x = graph.add_input("x", {2, 1});
  const TensorId row = graph.use({table.weight.parameter, 2, 3});
  std::vector<StackedLayer> kinds;
  StackedLayer& layer = kinds.emplace_back(graph, 0, 0, x);
  Graph& body = layer.graph();
  body.add_step("flat", "body", std::make_shared<const Squeeze>(), {layer.carried()}, "flat");
  const TensorId sum = body.add_step("sum", "body", std::make_shared<const Add>(),
                                     {layer.carried(), layer.share(row)}, "sum");
  body.add_result("output", sum);
  graph.add_result("output", add_stack(graph, 0, std::move(kinds))[0]);
  const Graph unrolled = unroll(graph);
  const TensorId weight = find(unrolled, "table.weight"),
                 rows = find(unrolled, "table.weight[2:3]");
  CHECK(unrolled.tensor(rows).storage == weight);
  CHECK(unrolled.tensor(rows).offset == 2);
  CHECK(unrolled.steps()[3].inputs[1] == rows);
  CHECK(unrolled.tensor(find(unrolled, "layers.0.flat")).storage == find(unrolled, "x"));
  CHECK(unrolled.tensor(find(unrolled, "layers.1.flat")).storage == find(unrolled, "layers.0.sum"));
}

TEST_CASE("a body has loops of its own") {
  const Set set = std::make_shared<Parameters>(), of_group = std::make_shared<Parameters>("Group"),
            of_layer = std::make_shared<Parameters>("OneLayer");
  const LinearModule dense = declare_linear(*of_layer, "dense", 1, 1, false);
  of_group->add_member({"layers", {of_layer}, {0, 0}});
  set->add_member({"groups", {of_group}, {0, 0, 0}});
  Graph graph(set);
  const TensorId x = graph.add_input("x", {1, 1});
  std::vector<StackedLayer> groups, layers;
  StackedLayer& group = groups.emplace_back(graph, 0, 0, x);
  StackedLayer& layer = layers.emplace_back(group.graph(), 0, 0, group.carried());
  layer.graph().add_result("output",
                           apply_linear(layer.graph(), dense, "body", layer.carried(), "made"));
  group.graph().add_result("output", add_stack(group.graph(), 0, std::move(layers))[0]);
  graph.add_result("output", add_stack(graph, 0, std::move(groups))[0]);
  const Graph unrolled = unroll(graph);
  CHECK(step_names(unrolled).size() == 6);
  CHECK(step_names(unrolled)[3] == "groups.1.layers.1.dense");
  CHECK(names_of(unrolled, unrolled.steps()[4].inputs) ==
        Names{"groups.1.layers.1.made", "groups.2.layers.0.dense.weight"});
  const std::vector<Row> rows = rows_of(graph);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].times == 6);
  CHECK(rows[0].places == 6);
  CHECK(cost(rows_of(graph), Dtype::kFloat32).total.operations.macs() ==
        cost(rows_of(unrolled), Dtype::kFloat32).total.operations.macs());
  CHECK(memory(graph, Dtype::kFloat32).kept_for_backward ==
        memory(unrolled, Dtype::kFloat32).kept_for_backward);
}

TEST_CASE("a graph without loops unrolls to itself") {
  const Graph graph = testing::graph_of(testing::config("additive_scorer")), same = unroll(graph);
  CHECK(step_names(same) == step_names(graph));
  REQUIRE(same.tensors().size() == graph.tensors().size());
  for (size_t id = 0; id < same.tensors().size(); ++id) {
    const auto tensor = static_cast<TensorId>(id);
    CHECK(same.name_of(tensor) == graph.name_of(tensor));
    CHECK(same.tensors()[id].storage == graph.tensors()[id].storage);
  }
}

TEST_CASE("a body that changes the shape of what it carries, or returns a view, is refused") {
  const Set set = std::make_shared<Parameters>();
  set->add_member({"layers", {std::make_shared<Parameters>("OneLayer")}, {0, 0}});
  Graph graph(set);
  const TensorId x = graph.add_input("x", {2, 1});
  const auto loop = [&](const OpPtr& op) {
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph, 0, 0, x);
    layer.graph().add_result("output",
                             layer.graph().add_step("flat", "body", op, {layer.carried()}, "flat"));
    add_stack(graph, 0, std::move(kinds));
  };
  CHECK_THROWS_WITH(loop(std::make_shared<const Squeeze>()), "OneLayer makes (2,) of (2, 1)");
  CHECK_THROWS_WITH(loop(std::make_shared<const Dropout>(0.5)),
                    "layers returns flat, which is a view");
}
