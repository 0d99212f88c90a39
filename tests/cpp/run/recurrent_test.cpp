// Cells by their kernels against the reference, in place and not, forward and backward.

#include "../../../cpp/ops/recurrent.h"

#include "../../../cpp/graph/storage.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/where.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/threads.h"
#include "../../../cpp/training/backward.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string>;

/// All results by kernels, with every mask and without, on all threads and watched: the reference's
/// numbers and the same bits.
void check_run(const Graph& graph, const Keep& keep = {}) {
  for (const bool masked : {true, false}) {
    CAPTURE(masked);
    const RandomInputs inputs(graph, masked);
    const Outputs expected = run_reference(graph, ParameterValues(), inputs.pointers, keep);
    std::optional<Outputs> first;
    for (const int threads : kThreadCounts) {
      CAPTURE(threads);
      set_thread_count(threads);
      for (const bool watched : {false, true}) {
        const auto ignore = [](double) {};
        Outputs made =
            run_kernels(graph, inputs.pointers, keep, watched ? Progress(ignore) : Progress());
        if (!first) check_same(made, expected);
        const bool same_bits = !first || made == *first;
        CHECK(same_bits);
        if (!first) first = std::move(made);
      }
    }
    set_thread_count(1);
  }
}

struct Cell {
  Names after;  // names of its state
  Graph graph{};
  TensorId gates = kNoTensor, first = kNoTensor;  // what it works in place of, and what it makes
};

TensorId scaled(Graph& graph, const char* name, TensorId x) {
  return graph.add_step(name, "combine", make_op<Scale>(2.0), {x}, name);
}

/// A cell whose gates a step makes, or which are inputs.
Cell lstm(int64_t rows, int64_t units, bool made = true) {
  Cell cell{{"h_after", "c_after"}};
  Graph& graph = cell.graph;
  const TensorId x = graph.add_input("x", {rows, 4 * units}),
                 c = graph.add_input("c", {rows, units});
  cell.gates = made ? scaled(graph, "gates", x) : x;
  cell.first = graph.add_step("cell", "combine", make_op<LstmCell>(), {cell.gates, c},
                              {"h_after", "c_after", "activated"});
  return cell;
}

Cell gru(int64_t rows, int64_t units, bool made = true) {
  Cell cell{{"h_after"}};
  Graph& graph = cell.graph;
  const TensorId x = graph.add_input("x", {rows, 3 * units}),
                 y = graph.add_input("y", {rows, 3 * units}),
                 h = graph.add_input("h", {rows, units});
  cell.gates = made ? scaled(graph, "gates", y) : y;
  cell.first = graph.add_step("cell", "combine", make_op<GruCell>(), {x, cell.gates, h},
                              {"h_after", "activated", "n"});
  return cell;
}

constexpr int64_t kShapes[][2] = {{1, 1}, {3, 5}, {2, 64}, {5, 130}, {33, 200}, {1, 5000}};

}  // namespace

TEST_CASE("cells by kernels give the reference's numbers, forward and backward") {
  for (const auto& [rows, units] : kShapes) {
    CAPTURE(rows);
    CAPTURE(units);
    for (const auto make : {lstm, gru}) {
      for (const bool made : {true, false}) {
        CAPTURE(made);
        for (size_t which = 1; which < 4; ++which) {
          Cell cell = make(rows, units, made);
          Names from;
          for (size_t i = 0; i < cell.after.size(); ++i) {
            if (!(which >> i & 1)) continue;
            cell.graph.add_result(cell.after[i], cell.first + static_cast<TensorId>(i));
            from.push_back(cell.after[i]);
          }
          if (from.empty()) continue;
          check_run(cell.graph);
          check_run(backward_graph(std::move(cell.graph), from, {}));
        }
      }
    }
  }
}

TEST_CASE("a run works on gates in place, but for those that are needed as they were") {
  const auto storage = [](const Cell& cell, TensorId id, const std::vector<TensorId>& tensors) {
    const Schedule schedule(cell.graph, {.tensors = tensors});
    return schedule.placement().storage[static_cast<size_t>(id)];
  };
  for (const auto make : {lstm, gru}) {
    Cell cell = make(3, 5, true);
    const TensorId activated = cell.first + (cell.after.size() == 2 ? 2 : 1);
    cell.graph.add_result("h_after", cell.first);
    CHECK(storage(cell, activated, {}) == cell.gates);
    CHECK(storage(cell, activated, {activated}) == cell.gates);
    // Asked for by name; read by a later step, and handed over by the caller.
    CHECK(storage(cell, activated, {cell.gates}) == activated);
    check_run(cell.graph, {.tensors = {cell.gates, activated}});
    Cell before = make(3, 5, true);
    before.graph.add_result("later", scaled(before.graph, "later", before.gates));
    before.graph.add_result("activated", activated);
    CHECK(storage(before, activated, {}) == activated);
    check_run(before.graph);
    Cell given = make(3, 5, false);
    given.graph.add_result("activated", activated - 1);  // one step fewer
    CHECK(storage(given, activated - 1, {}) == activated - 1);
    check_run(given.graph);
  }
}

TEST_CASE("what nothing reads of a cell is not written") {
  Cell cell = lstm(3, 5);
  cell.graph.add_result("c_after", cell.first + 1);
  CHECK(Schedule(cell.graph).entries().back().fusion.writes == std::vector{cell.first + 1});
  const Graph graph = backward_graph(std::move(cell.graph), {"c_after"}, {});
  check_run(graph);
}

TEST_CASE("hidden rows by kernels, with masks of every shape that broadcasts") {
  for (const Shape& mask : {Shape{7, 3}, Shape{1, 3}, Shape{7, 1}, Shape{1, 1}}) {
    CAPTURE(to_string(mask));
    Graph graph;
    const TensorId x = graph.add_input("x", {7, 600}), y = graph.add_input("y", {7, 600}),
                   sequences = graph.add_input("sequences", {7, 3, 200});
    const TensorId hides = graph.add_input("mask", mask, Role::kOptionalInput);
    const TensorId where =
        graph.add_step("where", "combine", make_op<WhereVisible>(RowMask(mask.back() - 1)),
                       {x, y, hides}, "where");
    graph.add_result("where", where);
    graph.add_result("zero", graph.add_step("zero", "combine",
                                            make_op<ZeroRows>(ZeroRows::Rows::kHidden, RowMask(0)),
                                            {where, hides}, "zero"));
    graph.add_result("zeroed",
                     graph.add_step("zeroed", "combine", make_op<ZeroRows>(ZeroRows::Rows::kHidden),
                                    {sequences, hides}, "zeroed"));
    check_run(graph);
    check_run(backward_graph(std::move(graph), {"where", "zero", "zeroed"}, {}));
  }
}

TEST_CASE("rows that are not read elsewhere are chosen where they lie, others are copied") {
  for (const bool read : {false, true}) {
    CAPTURE(read);
    Cell cell = lstm(3, 5);
    const TensorId mask = cell.graph.add_padding_mask("mask", {3, 4});
    const TensorId kept =
        cell.graph.add_step("keep", "recur", make_op<WhereVisible>(RowMask(1)),
                            {cell.first + 1, cell.graph.steps().back().inputs[1], mask}, "kept");
    cell.graph.add_result("kept", kept);
    if (read) cell.graph.add_result("memory", cell.first + 1);
    std::vector<TensorId> results{kept};
    if (read) results.push_back(cell.first + 1);
    const TensorId own = storages(cell.graph, Sharing::kRun, results)[static_cast<size_t>(kept)];
    CHECK(own == (read ? kept : cell.first + 1));
    check_run(cell.graph);
  }
}
