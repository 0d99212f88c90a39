#include "../../../cpp/run/fusion.h"

#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/training/backward.h"
#include "../support.h"

using namespace attnscope;

namespace {

using Names = std::vector<std::string>;

/// x -> tanh -> relu -> sigmoid, and gelu of x.
struct Row {
  Graph graph;
  TensorId x = graph.add_input("x", {2, 7});
  TensorId tanh = add("tanh", x), relu = add("relu", tanh), gelu = add("gelu", x),
           sigmoid = add("sigmoid", relu);

  TensorId add(const char* function, TensorId from) {
    return graph.add_step(function, "combine", activation_named(function), {from}, function);
  }
};

Names names_of(const Steps& steps) {
  Names names;
  for (size_t i = 0; i < steps.size(); ++i) names.push_back(steps[i].name);
  return names;
}

Names names_of(std::span<const Step* const> steps) {
  Names names;
  for (const Step* step : steps) names.push_back(step->name);
  return names;
}

}  // namespace

TEST_CASE("steps that are gathered stand one after another, and all others stay in their order") {
  const Row row;
  Steps steps(row.graph, {row.gelu, row.sigmoid});
  CHECK(names_of(steps) == Names{"tanh", "relu", "gelu", "sigmoid"});
  const Step* tanh = steps.producer(row.tanh);
  const Step* gelu = steps.producer(row.gelu);
  const std::vector<const Step*> ends{tanh, steps.producer(row.relu), steps.producer(row.sigmoid)};
  steps.gather(ends);
  CHECK(names_of(steps) == Names{"tanh", "relu", "sigmoid", "gelu"});
  CHECK(steps.place_of(*ends[2]) == 2);
  steps.gather(ends);  // as they stand already
  steps.gather({});
  CHECK(names_of(steps) == Names{"tanh", "relu", "sigmoid", "gelu"});
  const std::vector<const Step*> both{tanh, gelu};
  steps.gather(both);
  CHECK(names_of(steps) == Names{"tanh", "gelu", "relu", "sigmoid"});
}

TEST_CASE("later reads beside a step are counted, and the steps before and after it found") {
  Row row;
  const TensorId both[] = {
      row.graph.add_step("first", "combine", shared_op<Add>(), {row.tanh, row.gelu}, "first"),
      row.graph.add_step("second", "combine", shared_op<Add>(), {row.x, row.gelu}, "second")};
  const Steps steps(row.graph, {both[0], both[1], row.gelu});
  REQUIRE(names_of(steps) == Names{"tanh", "gelu", "first", "second"});
  CHECK(steps.later_reads_beside(both[0]) == 2);  // by the second, and it leaves the run
  CHECK(steps.later_reads_beside(both[1]) == 1);
  CHECK(steps.later_reads_beside(row.tanh) == 0);  // it has one input
  CHECK(names_of(steps.before(1)) == Names{"tanh"});
  CHECK(names_of(steps.after(1)) == Names{"first", "second"});
  CHECK(steps.before(0).empty());
  CHECK(steps.after(3).empty());
}

TEST_CASE("the steps behind a step are found by what it makes, without those that nothing needs") {
  Row row;
  row.graph.add_result("sigmoid", row.sigmoid);
  row.graph.add_result("gelu", row.gelu);
  const Graph graph = backward_graph(std::move(row.graph), {"sigmoid", "gelu"}, {});
  const Steps steps(graph, {graph.results().back().tensor});
  CHECK(names_of(steps.gradients_of(row.tanh)) == Names{"tanh.grad"});
  CHECK(names_of(steps.gradients_of(row.relu)) == Names{"relu.grad"});
  CHECK(steps.gradients_of(row.x).empty());
  CHECK(steps.gradients_of(graph.results().back().tensor).empty());

  const TensorId wanted[] = {steps.producer(row.relu)->output};
  const Steps without(graph, {wanted[0]});
  CHECK(without.gradients_of(row.tanh).empty());
  CHECK(without.producer(kNoTensor) == nullptr);
}
