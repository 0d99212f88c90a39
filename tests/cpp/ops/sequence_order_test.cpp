#include "../../../cpp/ops/sequence_order.h"

#include "../../../cpp/graph/storage.h"
#include "../run/inputs.h"
#include "arrays.h"
#include "gradients.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("the first two dimensions change places, with what they go over") {
  const Array x = array({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Shape shape{{2, Axis::kBatch}, {3, Axis::kPosition}, {2, Axis::kHidden}};
  const SwapFirstTwo swap(shape, true);
  CHECK(values(swap.forward({&x})) == std::vector<double>{1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12});
  CHECK(to_string(swap.output_shape({&shape}), true) == "(3 position, 2 batch, 2 hidden)");
  const Shape vector{3};
  CHECK_THROWS_WITH(swap.output_shape({&vector}), "transpose: (3,) has no two dimensions");
}

TEST_CASE(
    "a transposed product's input is a copy, other transposes are views, and of one row nothing "
    "moves") {
  CHECK(SwapFirstTwo({2, 3, 4}, true).aliasing() == Aliasing::kNone);
  CHECK(SwapFirstTwo({2, 3, 4}, false).aliasing() == Aliasing::kStrided);
  for (const bool contiguous : {false, true}) {
    CHECK(SwapFirstTwo({1, 3, 4}, contiguous).aliasing() == Aliasing::kReshape);
    CHECK(SwapFirstTwo({2, 1, 4}, contiguous).aliasing() == Aliasing::kReshape);
  }
  CHECK(SwapFirstTwo({2, 3, 4}, true).pytorch({"x"}, "") == "x.transpose(0, 1).contiguous()");
  CHECK(SwapFirstTwo({2, 1, 4}, true).pytorch({"x"}, "") == "x.transpose(0, 1)");
}

TEST_CASE("kernels transpose as the reference does, and so do gradients") {
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{1, 3, 4}, Shape{2, 1, 4}, Shape{5, 7}}) {
    Graph graph;
    const TensorId x = graph.add_input("x", shape);
    const TensorId y =
        graph.add_step("swap", "order", make_op<SwapFirstTwo>(shape, true), {x}, "y");
    graph.add_result("y", y);
    check_gradients(graph, {"y"});
    check_kernels(graph);
  }
}

TEST_CASE("zeros are there whatever the input is, and nothing is trained through them") {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 3});
  const TensorId zeros =
      graph.add_step("zeros", "recur", make_op<Zeros>(Shape{2, 5}), {x}, "zeros");
  graph.add_result("zeros", zeros);
  check_kernels(graph);
  CHECK(graph.steps()[0].op->pytorch({"x"}, "") == "x.new_zeros(2, 5)");
  CHECK(graph.steps()[0].op->is_constant());
}
