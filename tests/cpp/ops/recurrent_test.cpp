// Cells by their formulas, written out with plain numbers, and their gradients against difference
// quotients.

#include "../../../cpp/ops/recurrent.h"

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/analysis/pytorch_module.h"
#include "../../../cpp/graph/storage.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/training/backward.h"
#include "gradients.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr int64_t kBatch = 3, kInputs = 4, kUnits = 5;
constexpr Count kNumbers = kBatch * kUnits;  // of a state

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TensorId add(Graph& graph, const char* name, const OpPtr& op, Ids inputs) {
  return graph.add_step(name, "combine", op, inputs, name);
}

/// Gates that a step makes, and a cell of an LSTM.
struct Lstm {
  Graph graph;
  TensorId x = graph.add_input("x", {{kBatch, Axis::kBatch}, {4 * kUnits, Axis::kFeature}});
  TensorId before = graph.add_input("c", {{kBatch, Axis::kBatch}, {kUnits, Axis::kHidden}});
  TensorId gates = add(graph, "gates", make_op<Scale>(2.0), {x});
  TensorId hidden = graph.add_step("cell", "combine", make_op<LstmCell>(), {gates, before},
                                   {"h_after", "c_after", "activated"});
  TensorId memory = hidden + 1, activated = hidden + 2;
};

/// Those of a GRU.
struct Gru {
  Graph graph;
  TensorId x = graph.add_input("x", {{kBatch, Axis::kBatch}, {3 * kUnits, Axis::kFeature}});
  TensorId y = graph.add_input("y", {{kBatch, Axis::kBatch}, {3 * kUnits, Axis::kFeature}});
  TensorId before = graph.add_input("h", {{kBatch, Axis::kBatch}, {kUnits, Axis::kHidden}});
  TensorId x_gates = add(graph, "x_gates", make_op<Scale>(2.0), {x});
  TensorId h_gates = add(graph, "h_gates", make_op<Scale>(3.0), {y});
  TensorId hidden = graph.add_step("cell", "combine", make_op<GruCell>(),
                                   {x_gates, h_gates, before}, {"h_after", "activated", "n"});
  TensorId activated = hidden + 1, fresh = hidden + 2;
};

std::vector<std::vector<double>> all_values(const std::vector<Array>& arrays) {
  std::vector<std::vector<double>> all;
  for (const Array& one : arrays) all.push_back(values(one));
  return all;
}

}  // namespace

TEST_CASE("an LSTM's cell forgets, takes in and gives out as its gates say") {
  const double i[] = {-1, 0.5}, f[] = {2, -0.25}, g[] = {0.75, -3}, o[] = {1, 0.125};
  const double c[] = {0.5, -2};
  const Array gates = array({1, 8}, {i[0], i[1], f[0], f[1], g[0], g[1], o[0], o[1]});
  const Array before = array({1, 2}, {c[0], c[1]});
  const std::vector<Array> made = LstmCell().forward_all({&gates, &before});
  REQUIRE(made.size() == 3);
  std::vector<double> h_after, c_after, activated(8);
  for (size_t u = 0; u < 2; ++u) {
    activated[u] = sigmoid(i[u]);
    activated[2 + u] = sigmoid(f[u]);
    activated[4 + u] = std::tanh(g[u]);
    activated[6 + u] = sigmoid(o[u]);
    c_after.push_back(sigmoid(f[u]) * c[u] + sigmoid(i[u]) * std::tanh(g[u]));
    h_after.push_back(sigmoid(o[u]) * std::tanh(c_after[u]));
  }
  check_values(made[LstmCell::kHidden], h_after);
  check_values(made[LstmCell::kMemory], c_after);
  check_values(made[LstmCell::kActivated], activated);
}

TEST_CASE("a GRU's cell mixes h with what is new as its gates say") {
  const double xr[] = {-1, 0.5}, xz[] = {2, -0.25}, xn[] = {0.75, -3};
  const double hr[] = {1, 0.125}, hz[] = {0.5, 0.25}, hn[] = {-0.5, 2}, h[] = {0.25, -1};
  const Array x = array({1, 6}, {xr[0], xr[1], xz[0], xz[1], xn[0], xn[1]});
  const Array y = array({1, 6}, {hr[0], hr[1], hz[0], hz[1], hn[0], hn[1]});
  const Array before = array({1, 2}, {h[0], h[1]});
  const std::vector<Array> made = GruCell().forward_all({&x, &y, &before});
  REQUIRE(made.size() == 3);
  std::vector<double> h_after, activated(6), fresh;
  for (size_t u = 0; u < 2; ++u) {
    const double r = sigmoid(xr[u] + hr[u]), z = sigmoid(xz[u] + hz[u]);
    activated[u] = r;
    activated[2 + u] = z;
    activated[4 + u] = hn[u];
    fresh.push_back(std::tanh(xn[u] + r * hn[u]));
    h_after.push_back((1 - z) * fresh[u] + z * h[u]);
  }
  check_values(made[GruCell::kHidden], h_after);
  check_values(made[GruCell::kActivated], activated);
  check_values(made[GruCell::kNew], fresh);
}

TEST_CASE("each row of a batch has its own gates, and rows may have further dimensions") {
  const Array gates = array({2, 1, 4}, {1, 2, 3, 4, -1, -2, -3, -4});
  const Array before = array({2, 1, 1}, {0.5, -0.5});
  const std::vector<Array> made = LstmCell().forward_all({&gates, &before});
  for (const size_t row : {0, 1}) {
    const double sign = row == 0 ? 1 : -1;
    const double c = sigmoid(2 * sign) * 0.5 * sign + sigmoid(sign) * std::tanh(3 * sign);
    check_close(made[LstmCell::kMemory].data()[row], c, 1e-14);
    check_close(made[LstmCell::kHidden].data()[row], sigmoid(4 * sign) * std::tanh(c), 1e-14);
  }
}

TEST_CASE("gradients of an LSTM's cell, by h and c alone and together") {
  for (const Names& from : {Names{"h_after"}, Names{"c_after"}, Names{"h_after", "c_after"}}) {
    CAPTURE(from.front());
    CAPTURE(from.size());
    Lstm lstm;
    lstm.graph.add_result("h_after", lstm.hidden);
    lstm.graph.add_result("c_after", lstm.memory);
    check_gradients(lstm.graph, from);
  }
}

TEST_CASE("gradients of several cells of an LSTM, one after another") {
  Lstm lstm;
  const TensorId next = add(lstm.graph, "next_gates", make_op<Scale>(-1.5), {lstm.x});
  const TensorId hidden =
      lstm.graph.add_step("next", "combine", make_op<LstmCell>(), {next, lstm.memory},
                          {"next_h", "next_c", "next_activated"});
  lstm.graph.add_result("h_after", lstm.hidden);
  lstm.graph.add_result("next_h", hidden);
  check_gradients(lstm.graph, {"next_h"});
  check_gradients(lstm.graph, {"h_after", "next_h"});
}

TEST_CASE("a gradient by an LSTM's h or c that is missing in a run is zero") {
  const Array gates = array({1, 4}, {0.25, 0.5, -0.5, 0.75}), before = array({1, 1}, {2});
  const Array dh = array({1, 1}, {3}), dc = array({1, 1}, {-5}), zero = array({1, 1}, {0});
  const LstmCellGradient both(true, true), by_h(true, false), by_c(false, true);
  CHECK(all_values(both.forward_all({&dh, nullptr, &gates, &before})) ==
        all_values(by_h.forward_all({&dh, &gates, &before})));
  CHECK(all_values(both.forward_all({nullptr, &dc, &gates, &before})) ==
        all_values(by_c.forward_all({&dc, &gates, &before})));
  CHECK(all_values(both.forward_all({&zero, &dc, &gates, &before})) ==
        all_values(by_c.forward_all({&dc, &gates, &before})));
  CHECK(all_values(both.forward_all({nullptr, nullptr, &gates, &before})) ==
        std::vector<std::vector<double>>{{0, 0, 0, 0}, {0}});
  // By hand: c' = 0.5 · 2 + 0.25 · (-0.5).
  const std::vector<Array> made = by_c.forward_all({&dc, &gates, &before});
  check_values(made[0], {-5 * -0.5 * 0.25 * 0.75, -5 * 2 * 0.25, -5 * 0.25 * 0.75, 0});
  check_values(made[1], {-2.5});
}

TEST_CASE("gradients of a GRU's cell, and of several one after another") {
  Gru gru;
  gru.graph.add_result("h_after", gru.hidden);
  check_gradients(gru.graph, {"h_after"});
  const TensorId next = add(gru.graph, "next_gates", make_op<Scale>(-1.5), {gru.y});
  const TensorId hidden =
      gru.graph.add_step("next", "combine", make_op<GruCell>(), {gru.x_gates, next, gru.hidden},
                         {"next_h", "next_activated", "next_n"});
  gru.graph.add_result("next_h", hidden);
  check_gradients(gru.graph, {"next_h"});
  check_gradients(gru.graph, {"h_after", "next_h"});
}

TEST_CASE("a gradient by a GRU's h that is missing in a run is zero") {
  const Array gates = array({1, 3}, {0.25, 0.5, -0.5}), n = array({1, 1}, {0.5}),
              h = array({1, 1}, {2});
  CHECK(all_values(GruCellGradient().forward_all({nullptr, &gates, &n, &h})) ==
        std::vector<std::vector<double>>{{0, 0, 0}, {0, 0, 0}, {0}});
}

TEST_CASE("gradients of an RNN's cell are those of a sum and an activation") {
  for (const char* activation : {"tanh", "relu"}) {
    CAPTURE(activation);
    Graph graph;
    const TensorId x = graph.add_input("x", {kBatch, kUnits});
    const TensorId y = graph.add_input("y", {kBatch, kUnits});
    const TensorId sum = add(graph, "gates", shared_op<Add>(), {x, y});
    graph.add_result("h", add(graph, "h", activation_named(activation), {sum}));
    check_gradients(graph, {"h"});
    CHECK(memory(graph, Dtype::kFloat32).step_saved == std::vector<Count>{0, 4 * kNumbers});
  }
}

TEST_CASE("nothing is trained through what only a cell's gradient reads") {
  Lstm lstm;
  lstm.graph.add_result("activated", lstm.activated);
  CHECK_THROWS_WITH(backward_graph(lstm.graph, {"activated"}, {}),
                    "lstm_cell: nothing is trained through its output 2");
  Gru gru;
  gru.graph.add_result("activated", gru.activated);
  gru.graph.add_result("n", gru.fresh);
  CHECK_THROWS_WITH(backward_graph(gru.graph, {"activated"}, {}),
                    "gru_cell: nothing is trained through its output 1");
  CHECK_THROWS_WITH(backward_graph(gru.graph, {"n"}, {}),
                    "gru_cell: nothing is trained through its output 2");
}

TEST_CASE("a gradient's step reads what there is, and gives only what is asked for") {
  Lstm lstm;
  lstm.graph.add_result("c_after", lstm.memory);
  const Graph graph = backward_graph(lstm.graph, {"c_after"}, {});
  const auto step = std::ranges::find(graph.steps(), "cell.grad", &Step::name);
  REQUIRE(step != graph.steps().end());
  CHECK(step->inputs.size() == 3);
  CHECK(step->gradient_of == lstm.hidden);
  CHECK(graph.tensor(step->output).shape == graph.tensor(lstm.gates).shape);
  CHECK(graph.tensor(step->output + 1).shape == graph.tensor(lstm.before).shape);
}

TEST_CASE("autograd keeps of a cell what PyTorch's own keeps") {
  Lstm lstm;
  lstm.graph.add_result("h_after", lstm.hidden);
  // c before, the activated gates, tanh(c') = (1 + 4 + 1) H.
  CHECK(memory(lstm.graph, Dtype::kFloat32).step_saved == std::vector<Count>{0, 4 * 6 * kNumbers});
  Gru gru;
  gru.graph.add_result("h_after", gru.hidden);
  // r, z and h_n, n, and copies of h_n and h - n = (3 + 1 + 2) H.
  CHECK(memory(gru.graph, Dtype::kFloat32).step_saved ==
        std::vector<Count>{0, 0, 4 * 6 * kNumbers});
}

TEST_CASE("a cell with its products keeps E + 7 H a row, as nn.LSTM and nn.GRU do") {
  for (const int64_t gates : {4, 3}) {
    CAPTURE(gates);
    auto parameters = std::make_shared<Parameters>();
    Graph graph(parameters);
    const TensorId x = graph.add_input("x", {kBatch, kInputs}),
                   h = graph.add_input("h", {kBatch, kUnits}),
                   c = graph.add_input("c", {kBatch, kUnits});
    const auto product = [&](const char* name, TensorId from) {
      const int64_t features = graph.tensor(from).shape.back();
      return apply_linear(graph, declare_linear(*parameters, name, features, gates * kUnits, true),
                          "project", from, name);
    };
    const TensorId of_h = product("hh", h), of_x = product("ih", x);
    const TensorId cell =
        gates == 4 ? graph.add_step("cell", "combine", make_op<LstmCell>(),
                                    {add(graph, "sum", shared_op<Add>(), {of_h, of_x}), c},
                                    {"h_after", "c_after", "activated"})
                   : graph.add_step("cell", "combine", make_op<GruCell>(), {of_x, of_h, h},
                                    {"h_after", "activated", "n"});
    graph.add_result("h_after", cell);
    CHECK(memory(graph, Dtype::kFloat32).saved_for_backward == 4 * kBatch * (kInputs + 7 * kUnits));
    // Only the products count as FLOPs.
    const Cost total = cost(rows_of(graph), Dtype::kFloat32).total.operations;
    CHECK(total.by(kFlops) == 2 * kBatch * gates * kUnits * (kInputs + kUnits));
    check_gradients(graph, {"h_after"});
  }
}

TEST_CASE("activated gates are in place of the gates, a GRU's of those of h") {
  const Lstm lstm;
  const Gru gru;
  for (const Sharing sharing : {Sharing::kInference, Sharing::kTraining, Sharing::kRun}) {
    CAPTURE(static_cast<int>(sharing));
    const std::vector<TensorId> owners = storages(lstm.graph, sharing);
    CHECK(owners[static_cast<size_t>(lstm.activated)] == lstm.gates);
    CHECK(owners[static_cast<size_t>(lstm.hidden)] == lstm.hidden);
    CHECK(owners[static_cast<size_t>(lstm.memory)] == lstm.memory);
    const std::vector<TensorId> others = storages(gru.graph, sharing);
    CHECK(others[static_cast<size_t>(gru.activated)] == gru.h_gates);
    CHECK(others[static_cast<size_t>(gru.fresh)] == gru.fresh);
  }
}

TEST_CASE("printed code has the state after, and not what only a gradient reads") {
  const Layer toy{"toy", "Toy", "toys", 0, "A cell.", "Toy", {}, nullptr};
  Lstm lstm;
  lstm.graph.add_result("h_after", lstm.hidden);
  CHECK(classes_text(toy, lstm.graph).find(R"(
        h_after, c_after = lstm_cell(gates, c)  # (3, 5), (3, 5)
        return h_after
)") != std::string::npos);
  Gru gru;
  gru.graph.add_result("h_after", gru.hidden);
  CHECK(classes_text(toy, gru.graph).find(R"(
        h_after = gru_cell(x_gates, h_gates, h)  # (3, 5)
        return h_after
)") != std::string::npos);
  CHECK(LstmCellGradient(true, false).pytorch({"h.grad", "gates", "c"}, "") ==
        "lstm_cell_backward(h.grad, gates, c)");
  CHECK(GruCellGradient().pytorch({"h.grad", "gates", "n", "h"}, "") ==
        "gru_cell_backward(h.grad, gates, n, h)");
}

TEST_CASE("cells refuse gates that are not as many as their state asks for") {
  const Shape five{3, 5}, twenty{3, 20}, fifteen{3, 15}, other{2, 20}, flat{20};
  CHECK_THROWS_WITH(LstmCell().output_shape({&fifteen, &five}, 0),
                    "lstm_cell: gates (3, 15) are not 4 for each number of (3, 5)");
  CHECK_THROWS_WITH(LstmCell().output_shape({&other, &five}, 0),
                    "lstm_cell: gates (2, 20) are not 4 for each number of (3, 5)");
  CHECK_THROWS_WITH(LstmCell().output_shape({&flat, &five}, 0),
                    "lstm_cell: gates (20,) are not 4 for each number of (3, 5)");
  CHECK_THROWS_WITH(GruCell().output_shape({&fifteen, &twenty, &five}, 0),
                    "gru_cell: gates (3, 20) are not 3 for each number of (3, 5)");
  CHECK_THROWS_WITH(LstmCellGradient(true, false).output_shape({&other, &twenty, &five}, 0),
                    "lstm_cell_backward: (2, 20) is not (3, 5)");
  CHECK_THROWS_WITH(GruCellGradient().output_shape({&five, &fifteen, &fifteen, &five}, 0),
                    "gru_cell_backward: (3, 15) is not (3, 5)");
}
