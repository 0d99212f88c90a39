#include "../../../cpp/ops/where.h"

#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/recurrent.h"
#include "gradients.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Rows = ZeroRows::Rows;

WhereVisible where_at(int64_t position) { return WhereVisible(RowMask(position)); }

}  // namespace

TEST_CASE("rows that a mask hides at a position come from the other tensor, visible ones stay") {
  const Array x = array({3, 2}, {NAN, 1, 2, 3, 4, 5}), other = array({3, 2}, {6, 7, NAN, 9, 8, 10});
  const Array mask = array({3, 2}, {0, kHidden, kHidden, 0, 0, -3});
  const auto rows = [&](int64_t position, const Array* of) {
    return values(where_at(position).forward({&other, &x, of}));
  };
  CHECK(values(where_at(1).forward({&x, &other, &mask})) == std::vector<double>{6, 7, 2, 3, 4, 5});
  CHECK(values(where_at(0).forward({&x, &x, &mask}))[1] == 1);
  CHECK(rows(0, &mask)[3] == 3);
  const Array of_all = array({1, 2}, {0, kHidden}), of_rows = array({3, 1}, {0, kHidden, 0}),
              one = array({1}, {kHidden});
  CHECK(rows(1, &of_all)[4] == 4);
  CHECK(rows(0, &of_all)[4] == 8);
  CHECK(rows(1, &of_rows)[3] == 3);
  CHECK(rows(1, &of_rows)[4] == 8);
  CHECK(rows(1, &one)[4] == 4);
  CHECK(rows(1, nullptr)[4] == 8);
}

TEST_CASE("rows are zeros where a mask hides them, or where it shows them") {
  const Array x = array({3, 1, 2}, {NAN, 1, 2, 3, 4, 5});
  const Array mask = array({3, 1}, {kHidden, 0, -3}), none = array({1}, {0});
  const ZeroRows hidden(Rows::kHidden), visible(Rows::kVisible);
  CHECK(values(hidden.forward({&x, &mask})) == std::vector<double>{0, 0, 2, 3, 4, 5});
  CHECK(values(visible.forward({&x, &mask}))[1] == 1);
  CHECK(values(visible.forward({&x, &mask}))[2] == 0);
  CHECK(values(hidden.forward({&x, &none}))[5] == 5);
  CHECK(values(hidden.forward({&x, nullptr}))[5] == 5);
  CHECK(values(visible.forward({&x, &none})) == std::vector<double>(6, 0.0));
  CHECK(values(visible.forward({&x, nullptr})) == std::vector<double>(6, 0.0));
  const Array sequences = array({2, 2, 1}, {1, 2, 3, 4}), position = array({1, 2}, {0, kHidden});
  CHECK(values(hidden.forward({&sequences, &position})) == std::vector<double>{1, 0, 3, 0});
  const Array rows = array({2, 2}, {1, 2, 3, 4}), of_rows = array({2, 2}, {0, 0, kHidden, 0});
  CHECK(values(ZeroRows(Rows::kHidden, RowMask(0)).forward({&rows, &of_rows})) ==
        std::vector<double>{1, 2, 0, 0});
}

TEST_CASE("gradients go to where a row came from") {
  for (const int64_t rows : {5, 1}) {  // a mask for each row, or one for all
    CAPTURE(rows);
    Graph graph;
    const TensorId x = graph.add_input("x", {5, 3}), y = graph.add_input("y", {5, 3});
    const TensorId mask = graph.add_input("mask", {rows, 4}, Role::kOptionalInput);
    const RowMask third(2);
    graph.add_result("where", graph.add_step("where", "combine", make_op<WhereVisible>(third),
                                             {x, y, mask}, "where"));
    for (const Rows zeros : {Rows::kHidden, Rows::kVisible}) {
      const auto op = make_op<ZeroRows>(zeros, third);
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
  const auto where = make_op<WhereVisible>(RowMask(0));
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

TEST_CASE("rows take no memory of their own, and autograd keeps nothing of them") {
  const Shape x{5, 3}, mask{5, 1};
  CHECK(where_at(0).saved_for_backward({&x, &x, &mask}, x).bytes == 0);
  CHECK(ZeroRows(Rows::kHidden).saved_for_backward({&x, &mask}, x).bytes == 0);
  Graph graph;
  const TensorId input = graph.add_input("x", x), other = graph.add_input("y", x),
                 hides = graph.add_padding_mask("mask", mask);
  const TensorId y = graph.add_step("y", "combine", activation_named("tanh"), {input}, "activated");
  const TensorId where = graph.add_step("where", "combine", make_op<WhereVisible>(RowMask(0)),
                                        {y, other, hides}, "where");
  graph.add_result("z", graph.add_step("z", "combine", make_op<ZeroRows>(Rows::kHidden, RowMask(0)),
                                       {where, hides}, "z"));
  CHECK(memory(graph, Dtype::kFloat32).activations_peak == 4 * 15);
}

TEST_CASE("an iteration reads the mask at its own position, and without masks nothing is done") {
  CHECK(where_at(3).at_slice(2) == nullptr);
  const OpPtr second = where_at(RowMask::kSlice).at_slice(2);
  CHECK(dynamic_cast<const WhereVisible&>(*second).mask().position() == 2);
  const Shape x{5, 3};
  for (const auto& [name, op] : {std::pair{"where", where_at(1).unmasked()},
                                 {"zero_hidden", ZeroRows(Rows::kHidden).unmasked()}}) {
    CHECK(op->name() == name);
    CHECK(op->output_shape({&x}, 0) == x);
    CHECK(op->alias(0).kind == Aliasing::kReshape);
    CHECK(op->pytorch({"h"}, "") == "h");
  }
  CHECK(ZeroRows(Rows::kVisible).unmasked() == nullptr);
}

TEST_CASE("masks have one number for each row, or broadcast to that") {
  const Shape x{5, 3}, y{5, 4}, rows{5, 7}, all{7}, four{4, 7}, deep{2, 5, 7};
  CHECK(where_at(6).output_shape({&x, &x, &rows}) == x);
  CHECK(where_at(6).output_shape({&x, &x, &all}) == x);
  CHECK_THROWS_WITH(where_at(6).output_shape({&x, &y, nullptr}), "where: (5, 4) is not (5, 3)");
  CHECK_THROWS_WITH(where_at(6).output_shape({&x, &x, &deep}),
                    "where: mask (2, 5, 7) does not fit (5, 3)");
  CHECK_THROWS_WITH(where_at(6).output_shape({&x, &x, &four}),
                    "where: mask (4, 7) does not fit (5, 3)");
  CHECK_THROWS_WITH(ZeroRows(Rows::kHidden).output_shape({&x, &all}),
                    "zero_hidden: mask (7,) does not fit (5, 3)");
}
