#include "../../../cpp/ops/stack.h"

#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/training/backward.h"
#include "../run/inputs.h"
#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

std::vector<std::vector<double>> slices(const Unbind& unbind, const Array& x) {
  std::vector<std::vector<double>> slices;
  for (const Array& slice : unbind.forward_all({&x})) slices.push_back(values(slice));
  return slices;
}

}  // namespace

TEST_CASE("stack puts tensors together along a new dimension, and unbind takes them apart") {
  using Slices = std::vector<std::vector<double>>;
  const Array a = array({2, 3}, {1, 2, 3, 4, 5, 6}), b = array({2, 3}, {7, 8, 9, 10, 11, 12});
  const Slices both{values(a), values(b)};
  const std::vector<double> stacked[] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                         {1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12},
                                         {1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12}};
  const std::vector<size_t> shapes[] = {{2, 2, 3}, {2, 2, 3}, {2, 3, 2}};
  for (int dimension = 0; dimension < 3; ++dimension) {
    CAPTURE(dimension);
    const auto at = static_cast<size_t>(dimension);
    const Array whole = Stack(dimension, Axis::kNone).forward({&a, &b});
    CHECK(std::vector<size_t>(whole.shape().begin(), whole.shape().end()) == shapes[at]);
    CHECK(values(whole) == stacked[at]);
    CHECK(slices(Unbind(dimension, 2), whole) == both);
  }
  CHECK(values(Stack(0, Axis::kNone).forward({&a})) == values(a));
}

TEST_CASE("what is stacked has one shape, and goes over what it is said to") {
  const Shape row{{2, Axis::kBatch}, {7, Axis::kHidden}}, other{{2, Axis::kBatch}, 6};
  const Stack stack(1, Axis::kLayer);
  CHECK(to_string(stack.output_shape({&row, &row, &row}), true) == "(2 batch, 3 layer, 7 hidden)");
  CHECK_THROWS_WITH(stack.output_shape({&row, &other}),
                    "stack: (2 batch, 6) does not fit (2 batch, 7 hidden) along a new dimension 1");
  CHECK_THROWS_WITH(Stack(3, Axis::kLayer).output_shape({&row}),
                    "stack: (2 batch, 7 hidden) does not fit (2 batch, 7 hidden) along a new "
                    "dimension 3");
  CHECK(to_string(Unbind(1, 7).output_shape({&row}, 6), true) == "(2 batch,)");
  CHECK_THROWS_WITH(Unbind(1, 6).output_shape({&row}, 0),
                    "unbind: (2 batch, 7 hidden) has no 6 slices along dimension 1");
  CHECK_THROWS_WITH(Unbind(2, 7).output_shape({&row}, 0),
                    "unbind: (2 batch, 7 hidden) has no 7 slices along dimension 2");
}

TEST_CASE("PyTorch's names of both have the dimension where it is not the first") {
  CHECK(Stack(0, Axis::kLayer).pytorch({"a", "b"}, "") == "torch.stack((a, b))");
  CHECK(Stack(2, Axis::kLayer).pytorch({"a", "b"}, "") == "torch.stack((a, b), dim=2)");
  CHECK(Unbind(0, 3).pytorch({"x"}, "") == "x.unbind()");
  CHECK(Unbind(1, 3).pytorch({"x"}, "") == "x.unbind(1)");
}

TEST_CASE("slices are views, and what is stacked has memory of its own") {
  Graph graph;
  const TensorId x = graph.add_input("x", {3, 2});
  const TensorId first =
      graph.add_step("unbind", "combine", make_op<Unbind>(0, 3), {x}, {"a", "b", "c"});
  graph.add_result("output", graph.add_step("stack", "combine", make_op<Stack>(1, Axis::kNone),
                                            {first, first + 2}, "output"));
  CHECK(graph.tensor(first + 1).storage == x);
  CHECK(memory(graph, Dtype::kFloat32).activations_peak == 4 * 4);
}

TEST_CASE("the gradient by what is taken apart has zeros for slices that nothing reads") {
  // Of four slices the scalar is the sum of those that are read, times 1 to 4.
  const char* names[] = {"a", "b", "c", "d"};
  for (int read = 1; read < 16; ++read) {
    CAPTURE(read);
    Graph layer;
    const TensorId x = layer.add_input("x", {2, 4, 3});
    const TensorId y = layer.add_step("y", "combine", make_op<Scale>(1.0), {x}, "y");
    const TensorId first = layer.add_step("unbind", "combine", make_op<Unbind>(1, 4), {y},
                                          {names[0], names[1], names[2], names[3]});
    std::vector<std::string> from;
    for (int slice = 0; slice < 4; ++slice) {
      if ((read >> slice & 1) == 0) continue;
      layer.add_result(names[slice], first + slice);
      from.emplace_back(names[slice]);
    }
    const Graph graph = backward_graph(std::move(layer), from, {});
    check_kernels(graph);
    ReferenceValues values(graph.tensors().size());
    values[static_cast<size_t>(x)] = make_array({2, 4, 3});
    values[static_cast<size_t>(x)]->fill(9.0);
    for (size_t id = 0; id < values.size(); ++id) {
      for (int slice = 0; slice < 4; ++slice) {
        if (graph.tensors()[id].name != gradient_name(names[slice])) continue;
        values[id] = make_array({2, 3});
        values[id]->fill(slice + 1.0);
      }
    }
    run_reference(graph, values);
    std::vector<double> expected;
    for (int row = 0; row < 2; ++row) {
      for (int slice = 0; slice < 4; ++slice) {
        expected.insert(expected.end(), 3, (read >> slice & 1) == 0 ? 0.0 : slice + 1.0);
      }
    }
    const Array& gradient = *values[static_cast<size_t>(graph.results().back().tensor)];
    CHECK(graph.results().back().name == gradient_name("x"));
    CHECK(std::vector<double>(gradient.begin(), gradient.end()) == expected);
  }
}

TEST_CASE("the gradient by each of several stacked tensors is its slice, along any dimension") {
  for (const int dimension : {0, 1, 2}) {
    CAPTURE(dimension);
    Graph layer;
    std::vector<TensorId> scaled;
    for (const char* name : {"a", "b", "c"}) {
      const TensorId input = layer.add_input(name, {2, 3});
      const double factor = 1.0 + static_cast<double>(scaled.size());
      scaled.push_back(layer.add_step(name, "combine", make_op<Scale>(factor), {input},
                                      format("scaled_{}", {name})));
    }
    const TensorId whole = layer.add_step("stack", "combine",
                                          make_op<Stack>(dimension, Axis::kLayer), scaled, "whole");
    layer.add_result("whole", whole);
    const Graph graph = backward_graph(std::move(layer), {"whole"}, {});
    check_kernels(graph);
    const RandomInputs inputs(graph, false);
    const Outputs results = run_reference(graph, ParameterValues(), inputs.pointers);
    REQUIRE(results.size() == 4);
    size_t given = 0;
    while (graph.tensors()[given].name != gradient_name("whole")) ++given;
    const Values& seed = inputs.values[given];
    const int64_t inner = dimension == 0 ? 6 : dimension == 1 ? 3 : 1;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t n = 0; n < 6; ++n) {
        const auto at = static_cast<size_t>((n / inner * 3 + i) * inner + n % inner);
        check_close(results[static_cast<size_t>(i + 1)].data()[n],
                    (1.0 + static_cast<double>(i)) * seed.data()[at], kKernelTolerance);
      }
    }
  }
}

TEST_CASE(
    "a run stacks and takes apart along any dimension, and makes those slices that are read") {
  for (const int dimension : {0, 1, 2}) {
    CAPTURE(dimension);
    Graph graph;
    Shape shape{2, 3};
    shape.insert(shape.begin() + dimension, 4);
    const TensorId x = graph.add_input("x", shape);
    const TensorId y = graph.add_step("y", "combine", make_op<Scale>(0.5), {x}, "y");
    const TensorId first = graph.add_step("unbind", "combine", make_op<Unbind>(dimension, 4), {y},
                                          {"a", "b", "c", "d"});
    graph.add_result("output",
                     graph.add_step("stack", "combine", make_op<Stack>(2 - dimension, Axis::kNone),
                                    {first + 3, first, first + 3}, "output"));
    check_kernels(graph);
    CHECK(Schedule(graph).entries()[1].fusion.writes == std::vector{first, first + 3});
  }
}
