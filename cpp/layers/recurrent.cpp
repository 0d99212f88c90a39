#include "recurrent.h"

#include <cmath>
#include <memory>
#include <utility>

#include "../ops/arithmetic.h"
#include "../ops/recurrent.h"
#include "../ops/sequence_order.h"
#include "../ops/stack.h"

namespace attnscope {
namespace {

constexpr int64_t kGates = 4;
constexpr int kHidden = 0, kCell = 1;  // results of the body

/// The state after one position, from the state before it and the gates that its input makes.
Graph cell_graph(const Graph& around, const RecurrentModule& module, Dimension batch) {
  const Dimension H = module.hidden_size;
  Graph graph = around.sibling();
  const TensorId from_input = graph.add_input("input_gates", {batch, {kGates * H, Axis::kFeature}});
  const TensorId hidden = graph.add_input("hidden", {batch, H});
  const TensorId cell = graph.add_input("cell", {batch, H});
  const TensorId from_state =
      apply_linear(graph, module.of_state, "project", hidden, "state_gates");
  const TensorId gates =
      graph.add_step("add_gates", "recur", shared_op<Add>(), {from_input, from_state}, "gates");
  const TensorId outputs = graph.add_step("lstm_cell", "recur", shared_op<LstmCell>(),
                                          {gates, cell}, {"hidden", "cell", "activated_gates"});
  graph.add_result("hidden", outputs + LstmCell::kHidden);
  graph.add_result("cell", outputs + LstmCell::kMemory);
  return graph;
}

}  // namespace

RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape) {
  const Dimension H = shape.hidden_size, gates{kGates * H, Axis::kFeature};
  const Init uniform{.kind = Init::Kind::kUniform,
                     .spread = 1.0 / std::sqrt(static_cast<double>(H))};
  RecurrentModule recurrent{.of_input = {}, .of_state = {}, .hidden_size = H};
  const auto add = [&](const char* name, Shape of) {
    return Weight{parameters.add(module, name, std::move(of), uniform)};
  };
  recurrent.of_input.weight = add("weight_ih_l0", {gates, shape.input_size});
  recurrent.of_state.weight = add("weight_hh_l0", {gates, H});
  if (shape.bias) {
    recurrent.of_input.bias = add("bias_ih_l0", {gates});
    recurrent.of_state.bias = add("bias_hh_l0", {gates});
  }
  return recurrent;
}

std::string recurrent_arguments(const RecurrentShape& shape) {
  return format("{}, {}{}, batch_first=True",
                {shape.input_size, shape.hidden_size, shape.bias ? "" : ", bias=False"});
}

RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call) {
  const size_t begin = graph.steps().size();
  const Shape shape = graph.tensor(hidden_states).shape;
  const Dimension B = shape[0], T = shape[1], H = module.hidden_size;
  const TensorId by_position =
      graph.add_step("time_first", "project", make_op<SwapFirstTwo>(shape, /*contiguous=*/true),
                     {hidden_states}, "time_first");
  const TensorId input_gates =
      apply_linear(graph, module.of_input, "project", by_position, "input_gates");
  const auto zeros = [&](const char* name) {
    return graph.add_step(name, "recur", make_op<Zeros>(Shape{B, H}), {hidden_states}, name);
  };
  const TensorId first_hidden = zeros("initial_hidden"), first_cell = zeros("initial_cell");
  using Kind = Argument::Kind;
  Loop loop{.name = "positions", .length = T};
  loop.bodies.push_back(
      {.graph = std::make_shared<const Graph>(cell_graph(graph, module, B)),
       .arguments = {{.kind = Kind::kSlice, .given = input_gates},
                     {.kind = Kind::kCarried, .given = first_hidden, .result = kHidden},
                     {.kind = Kind::kCarried, .given = first_cell, .result = kCell}}});
  loop.outputs = {{.result = kHidden, .stacked = true}, {.result = kHidden}, {.result = kCell}};
  const std::vector<TensorId> outputs = graph.add_loop(std::move(loop));
  const Shape stacked = graph.tensor(outputs[0]).shape;
  RecurrentResults results{};
  results.output =
      graph.add_step("batch_first", "recur", make_op<SwapFirstTwo>(stacked, /*contiguous=*/false),
                     {outputs[0]}, "output");
  const auto stack = [&](TensorId state, const char* name) {
    return graph.add_step(name, "recur", make_op<Stack>(0, Axis::kLayer), {state}, name);
  };
  results.hidden = stack(outputs[1], "last_hidden");
  results.cell = stack(outputs[2], "last_cell");
  graph.add_group(
      begin, "nn.LSTM",
      format("output, (last_hidden, last_cell) = {}({})", {call, graph.tensor(hidden_states).name}),
      {results.output, results.hidden, results.cell});
  return results;
}

}  // namespace attnscope
