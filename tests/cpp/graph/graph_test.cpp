#include "../../../cpp/graph/graph.h"

#include "../../../cpp/graph/count.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/squeeze.h"
#include "../support.h"

using namespace attnscope;

TEST_CASE("counts print all their digits, past 64 bits as well") {
  CHECK(to_string(Count{0}) == "0");
  CHECK(to_string(Count{INT64_MAX}) == "9223372036854775807");
  CHECK(to_string(Count{INT64_MAX} + 1) == "9223372036854775808");
  CHECK(to_string(product({INT64_MAX, INT64_MAX})) == "85070591730234615847396907784232501249");
}

TEST_CASE("a product past 2^127 is refused, not wrapped") {
  CHECK_THROWS_WITH(product({INT64_MAX, INT64_MAX, 4}),
                    "the layer is too large: one of its counts exceeds 2^127");
}

TEST_CASE("shapes print as PyTorch prints them") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{3}) == "(3,)");
  CHECK(to_string(Shape{32, 128, 1}) == "(32, 128, 1)");
}

TEST_CASE("parameters carry their module's name, and a view the storage of what it views") {
  auto parameters = std::make_shared<Parameters>();
  const LinearModule score = declare_linear(*parameters, "score", 4, 1, true);
  Graph graph(parameters);
  const TensorId x = graph.add_input("x", {2, 3, 4});
  const TensorId y = apply_linear(graph, score, "score", x, "y");
  const TensorId z = graph.add_step("squeeze", "score", std::make_shared<Squeeze>(), {y}, "z");
  CHECK(graph.name_of(graph.use(score.weight)) == "score.weight");
  CHECK(graph.name_of(graph.use(score.bias)) == "score.bias");
  CHECK(graph.tensor(z).shape == Shape{2, 3});
  CHECK(graph.tensor(z).storage == y);
  CHECK(graph.parameters().modules()[0].constructor == "nn.Linear(4, 1)");
}

TEST_CASE("a weight is one tensor of a graph, and each of its rows one more") {
  auto parameters = std::make_shared<Parameters>();
  const int table = parameters->add_module("table", "");
  const ParameterId all = parameters->add(table, "weight", {6, 2});
  const std::vector<Weight> halves = parameters->split(all, {"upper", "lower"});
  Graph graph(parameters);
  CHECK(graph.used_parameters().empty());
  const TensorId lower = graph.use(halves[1]), whole = graph.use({all});
  CHECK(graph.use(halves[1]) == lower);
  CHECK(graph.use({all, 3, 6}) == lower);
  CHECK(graph.use({all, 2, 6}) != lower);
  CHECK(graph.used_parameters() == std::vector<TensorId>{whole});
  CHECK(graph.tensor(lower).storage == whole);
  CHECK(graph.tensor(lower).offset == 6);
  CHECK(graph.tensor(lower).shape == Shape{3, 2});
  CHECK(graph.name_of(lower) == "table.weight[3:6]");
  CHECK(graph.variable_of(lower) == "lower");
  CHECK(graph.variable_of(graph.use(halves[0])) == "upper");
  CHECK(graph.variable_of(whole).empty());
}
