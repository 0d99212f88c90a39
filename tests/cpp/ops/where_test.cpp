#include "../../../cpp/ops/where.h"

#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/recurrent.h"
#include "gradients.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Rows = ZeroRows::Rows;

}  // namespace

TEST_CASE("hidden rows come from the other tensor, NaN among them, visible ones stay") {
  const Array x = array({3, 2}, {NAN, 1, 2, 3, 4, 5}), other = array({3, 2}, {6, 7, NAN, 9, 8, 10});
  const Array mask = array({3, 1}, {kHidden, 0, -3}), all = array({1, 1}, {kHidden});
  const WhereVisible where;
  CHECK(values(where.forward({&x, &other, &mask})) == std::vector<double>{6, 7, 2, 3, 4, 5});
  CHECK(values(where.forward({&x, &x, &mask}))[1] == 1);
  CHECK(values(where.forward({&other, &x, &all}))[4] == 4);
  CHECK(values(where.forward({&other, &x, nullptr}))[4] == 8);
  CHECK(values(where.forward({&other, &x}))[4] == 8);
}

TEST_CASE("rows are zeros where a mask hides them, or where it shows them") {
  const Array x = array({3, 1, 2}, {NAN, 1, 2, 3, 4, 5});
  const Array mask = array({3, 1, 1}, {kHidden, 0, -3}), none = array({1, 1}, {0});
  const ZeroRows hidden(Rows::kHidden), visible(Rows::kVisible);
  CHECK(values(hidden.forward({&x, &mask})) == std::vector<double>{0, 0, 2, 3, 4, 5});
  CHECK(values(visible.forward({&x, &mask}))[1] == 1);
  CHECK(values(visible.forward({&x, &mask}))[2] == 0);
  CHECK(values(hidden.forward({&x, &none}))[5] == 5);
  CHECK(values(hidden.forward({&x, nullptr}))[5] == 5);
  CHECK(values(visible.forward({&x, &none})) == std::vector<double>(6, 0.0));
  CHECK(values(visible.forward({&x, nullptr})) == std::vector<double>(6, 0.0));
}

TEST_CASE("gradients go to where a row came from") {
  for (const int64_t rows : {5, 1}) {  // a mask for each row, or one for all
    CAPTURE(rows);
    Graph graph;
    const TensorId x = graph.add_input("x", {5, 3}), y = graph.add_input("y", {5, 3});
    const TensorId mask = graph.add_input("mask", {rows, 1}, Role::kOptionalInput);
    graph.add_result("where", graph.add_step("where", "combine", make_op<WhereVisible>(),
                                             {x, y, mask}, "where"));
    for (const Rows zeros : {Rows::kHidden, Rows::kVisible}) {
      const auto op = make_op<ZeroRows>(zeros);
      graph.add_result(op->name(), graph.add_step(op->name(), "combine", op, {x, mask},
                                                  std::string(op->name())));
    }
    check_gradients(graph, {"where"});
    check_gradients(graph, {"zero_hidden"});
    check_gradients(graph, {"zero_visible"});
    check_gradients(graph, {"where", "zero_hidden", "zero_visible"});
  }
}

TEST_CASE("a cell keeps its state where a mask hides its row, and so do its gradients") {
  Graph graph;
  const TensorId gates = graph.add_input("gates", {4, 12}), c = graph.add_input("c", {4, 3}),
                 h = graph.add_input("h", {4, 3});
  const TensorId mask = graph.add_input("mask", {4, 1}, Role::kOptionalInput);
  const TensorId cell = graph.add_step("cell", "combine", make_op<LstmCell>(), {gates, c},
                                       {"new_h", "new_c", "activated"});
  const auto where = make_op<WhereVisible>();
  graph.add_result("h_after", graph.add_step("keep_h", "combine", where, {cell, h, mask}, "h2"));
  graph.add_result("c_after",
                   graph.add_step("keep_c", "combine", where, {cell + 1, c, mask}, "c2"));
  check_gradients(graph, {"h_after", "c_after"});
  ReferenceValues values = random_reference(graph);
  run_reference(graph, values);
  for (const auto& [after, before] :
       {std::pair{graph.results()[0].tensor, h}, {graph.results()[1].tensor, c}}) {
    for (size_t i = 0; i < 12; ++i) {
      const bool hidden = i / 3 % 3 == 0;
      const bool kept = values[static_cast<size_t>(after)]->data()[i] ==
                        values[static_cast<size_t>(before)]->data()[i];
      CHECK(kept == hidden);
    }
  }
}

TEST_CASE("without a mask rows are not moved, and with one autograd keeps it") {
  const Shape x{5, 3}, mask{5, 1};
  CHECK(WhereVisible().saved_for_backward({&x, &x}, x).bytes == 0);
  CHECK(WhereVisible().saved_for_backward({&x, &x, nullptr}, x).bytes == 0);
  CHECK(WhereVisible().saved_for_backward({&x, &x, &mask}, x).bytes == 5);
  CHECK(ZeroRows(Rows::kHidden).saved_for_backward({&x, nullptr}, x).bytes == 0);
  CHECK(ZeroRows(Rows::kHidden).saved_for_backward({&x, &mask}, x).bytes == 5);
  Graph graph;
  const TensorId input = graph.add_input("x", x), other = graph.add_input("y", x);
  const TensorId y = graph.add_step("y", "combine", activation_named("tanh"), {input}, "activated");
  const TensorId where =
      graph.add_step("where", "combine", make_op<WhereVisible>(), {y, other}, "where");
  graph.add_result("z",
                   graph.add_step("z", "combine", make_op<ZeroRows>(Rows::kHidden), {where}, "z"));
  CHECK(memory(graph, Dtype::kFloat32).activations_peak == 4 * 15);
}

TEST_CASE("what hides rows is printed as a call, and not at all where there is no mask") {
  const Shape x{5, 3}, mask{5, 1};
  CHECK(WhereVisible().pytorch({"h", "before", "mask"}, "") == "where_visible(mask, h, before)");
  CHECK(WhereVisible().pytorch({"h", "before"}, "") == "h");
  CHECK(WhereVisible().pytorch_helpers({&x, &x, &mask})[0].starts_with(
      "def where_visible(mask, x, other):\n"));
  CHECK(WhereVisible().pytorch_helpers({&x, &x}).empty());
  const ZeroRows hidden(Rows::kHidden), visible(Rows::kVisible);
  CHECK(hidden.pytorch({"h", "mask"}, "") == "zero_hidden(h, mask)");
  CHECK(hidden.pytorch({"h"}, "") == "h");
  CHECK(visible.pytorch({"h", "mask"}, "") == "zero_visible(h, mask)");
  CHECK(visible.pytorch({"h"}, "") == "torch.zeros_like(h)");
  CHECK(hidden.pytorch_helpers({&x, &mask})[0].starts_with("def zero_hidden(x, mask):\n"));
  CHECK(visible.pytorch_helpers({&x, &mask})[0].starts_with("def zero_visible(x, mask):\n"));
  CHECK(hidden.pytorch_helpers({&x}).empty());
}

TEST_CASE("masks have one number for each row, or broadcast to that") {
  const Shape x{5, 3}, y{5, 4}, row{5, 1}, one{1}, whole{5, 3}, four{4, 1};
  CHECK(WhereVisible().output_shape({&x, &x, &row}) == x);
  CHECK(WhereVisible().output_shape({&x, &x, &one}) == x);
  CHECK_THROWS_WITH(WhereVisible().output_shape({&x, &y}), "where: (5, 4) is not (5, 3)");
  CHECK_THROWS_WITH(WhereVisible().output_shape({&x, &x, &whole}),
                    "where: mask (5, 3) does not fit the rows (5, 1)");
  CHECK_THROWS_WITH(ZeroRows(Rows::kHidden).output_shape({&x, &four}),
                    "zero_hidden: mask (4, 1) does not fit the rows (5, 1)");
}
