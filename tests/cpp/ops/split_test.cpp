#include "../../../cpp/ops/split.h"

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/training/backward.h"
#include "../run/inputs.h"
#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

std::vector<std::vector<double>> parts(const Split& split, const Array& x) {
  std::vector<std::vector<double>> parts;
  for (const Array& part : split.forward_all({&x})) parts.push_back(values(part));
  return parts;
}

}  // namespace

TEST_CASE("split gives the parts of any dimension in their order") {
  using Parts = std::vector<std::vector<double>>;
  const Array x = array({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(parts(Split(1, {1, 2}), x) == Parts{{1, 2, 7, 8}, {3, 4, 5, 6, 9, 10, 11, 12}});
  CHECK(parts(Split(0, {1, 1}), x) == Parts{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}});
  CHECK(parts(Split(Split::kLast, {1, 1}), x) == Parts{{1, 3, 5, 7, 9, 11}, {2, 4, 6, 8, 10, 12}});
  CHECK(parts(Split(1, {1, 1, 1}), x) == Parts{{1, 2, 7, 8}, {3, 4, 9, 10}, {5, 6, 11, 12}});
  CHECK(parts(Split(1, {3}), x) == Parts{values(x)});
}

TEST_CASE("parts keep what a dimension goes over, and must fill it") {
  const Shape x{{2, Axis::kBatch}, {7, Axis::kHidden}};
  const Split split(Split::kLast, {3, 4});
  CHECK(split.outputs() == 2);
  CHECK(to_string(split.output_shape({&x}, 0), true) == "(2 batch, 3 hidden)");
  CHECK(to_string(split.output_shape({&x}, 1), true) == "(2 batch, 4 hidden)");
  CHECK_THROWS_WITH(Split(1, {3, 3}).output_shape({&x}, 0),
                    "split: parts of 6 numbers do not fill dimension 1 of (2 batch, 7 hidden)");
  CHECK_THROWS_WITH(Split(1, {8, -1}).output_shape({&x}, 0),
                    "split: parts of 7 numbers do not fill dimension 1 of (2 batch, 7 hidden)");
  CHECK_THROWS_WITH(Split(2, {2}).output_shape({&x}, 0),
                    "split: parts of 2 numbers do not fill dimension 2 of (2 batch, 7 hidden)");
}

TEST_CASE("PyTorch cuts equal parts by their number, others by their sizes") {
  CHECK(Split(Split::kLast, {3, 4}).pytorch({"x"}, "") == "x.split([3, 4], dim=-1)");
  CHECK(Split(1, {3, 3, 3}).pytorch({"x"}, "") == "x.chunk(3, dim=1)");
}

TEST_CASE("the gradient by what is split has zeros where nothing reads a part") {
  // Of the parts a, b, c and d of x the scalar is the sum of those that are read, times 1 to 4.
  const char* names[] = {"a", "b", "c", "d"};
  const int64_t sizes[] = {1, 2, 1, 3};
  for (int read = 1; read < 16; ++read) {
    CAPTURE(read);
    Graph layer;
    const TensorId x = layer.add_input("x", {2, 7});
    const TensorId first = layer.add_step("split", "combine",
                                          make_op<Split>(1, std::vector<int64_t>(sizes, sizes + 4)),
                                          {x}, {names[0], names[1], names[2], names[3]});
    std::vector<std::string> from;
    for (int part = 0; part < 4; ++part) {
      if ((read >> part & 1) == 0) continue;
      layer.add_result(names[part], first + part);
      from.emplace_back(names[part]);
    }
    const Graph graph = backward_graph(std::move(layer), from, {});
    ReferenceValues values(graph.tensors().size());
    std::vector<double> expected;
    for (int row = 0; row < 2; ++row) {
      for (int part = 0; part < 4; ++part) {
        const double gradient = (read >> part & 1) == 0 ? 0.0 : part + 1.0;
        expected.insert(expected.end(), static_cast<size_t>(sizes[part]), gradient);
      }
    }
    values[static_cast<size_t>(x)] = make_array({2, 7});
    values[static_cast<size_t>(x)]->fill(9.0);
    for (size_t id = 0; id < values.size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      for (int part = 0; part < 4; ++part) {
        if (tensor.name != gradient_name(names[part])) continue;
        values[id] = make_array({tensor.shape.begin(), tensor.shape.end()});
        values[id]->fill(part + 1.0);
      }
    }
    run_reference(graph, values);
    const Array& gradient = *values[static_cast<size_t>(graph.results().back().tensor)];
    CHECK(graph.results().back().name == gradient_name("x"));
    CHECK(std::vector<double>(gradient.begin(), gradient.end()) == expected);
  }
}

TEST_CASE("parts are views: they take no memory, are kept as a whole, and are not moved") {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 6});
  const TensorId y = graph.add_step("y", "combine", make_op<Scale>(0.5), {x}, "y");
  const auto op = make_op<Split>(1, std::vector<int64_t>{3, 3});
  const TensorId first = graph.add_step("split", "combine", op, {y}, {"a", "b"});
  graph.add_result("output", graph.add_step("product", "combine", shared_op<Multiply>(),
                                            {first, first + 1}, "output"));
  const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
  CHECK(memory.activations_peak == 4 * (12 + 6));
  CHECK(memory.step_saved == std::vector<Count>{0, 0, 4 * 12});
  CHECK(cost(rows_of(graph), Dtype::kFloat32).steps[1].bytes_moved == 0);
}

TEST_CASE("a run cuts along any dimension, and makes those parts that are read") {
  for (const int dimension : {0, 1, 2, Split::kLast}) {
    CAPTURE(dimension);
    for (int read = 1; read < 8; ++read) {
      CAPTURE(read);
      Graph graph;
      const TensorId x = graph.add_input("x", {7, 7, 7});
      const auto op = make_op<Split>(dimension, std::vector<int64_t>{1, 4, 2});
      const TensorId first = graph.add_step("split", "combine", op, {x}, {"a", "b", "c"});
      for (int part = 0; part < 3; ++part) {
        if (read >> part & 1) graph.add_result(graph.tensor(first + part).name, first + part);
      }
      const RandomInputs inputs(graph, false);
      const Schedule schedule(graph);
      CHECK(schedule.entries()[0].fusion.writes.size() == graph.results().size());
      Weights weights(std::make_shared<ParameterValues>(), Dtype::kFloat32);
      const Outputs made = execute(schedule, weights.bind(graph, {}), inputs.pointers, {});
      const Outputs expected = run_reference(graph, ParameterValues(), inputs.pointers);
      REQUIRE(made.size() == expected.size());
      for (size_t i = 0; i < made.size(); ++i) {
        const bool same = made[i] == expected[i];
        CHECK(same);
      }
    }
  }
}
