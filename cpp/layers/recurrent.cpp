#include "recurrent.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/recurrent.h"
#include "../ops/sequence_order.h"
#include "../ops/stack.h"

namespace attnscope {
namespace {

TensorId next_of_lstm(Graph& graph, TensorId from_input, TensorId from_state,
                      const std::vector<TensorId>& state) {
  const TensorId gates =
      graph.add_step("add_gates", "recur", shared_op<Add>(), {from_input, from_state}, "gates");
  return graph.add_step("lstm_cell", "recur", shared_op<LstmCell>(), {gates, state[1]},
                        {"hidden", "cell", "activated_gates"});
}

TensorId next_of_gru(Graph& graph, TensorId from_input, TensorId from_state,
                     const std::vector<TensorId>& state) {
  return graph.add_step("gru_cell", "recur", shared_op<GruCell>(),
                        {from_input, from_state, state[0]}, {"hidden", "activated_gates", "new"});
}

template <Activation::Kind kind>
TensorId next_of_rnn(Graph& graph, TensorId from_input, TensorId from_state,
                     const std::vector<TensorId>&) {
  const TensorId sum =
      graph.add_step("add", "recur", shared_op<Add>(), {from_input, from_state}, "sum");
  return graph.add_step("activate", "recur", make_op<Activation>(kind), {sum}, "hidden");
}

constexpr std::string_view kStates[] = {"hidden", "cell"};
constexpr std::span<const std::string_view> kHidden(kStates, 1), kHiddenAndCell(kStates);

constexpr RecurrentCell kCells[] = {
    {.name = "lstm",
     .pytorch_class = "nn.LSTM",
     .argument = "",
     .gates = 4,
     .states = kHiddenAndCell,
     .next = next_of_lstm},
    {.name = "gru",
     .pytorch_class = "nn.GRU",
     .argument = "",
     .gates = 3,
     .states = kHidden,
     .next = next_of_gru},
    {.name = "rnn_tanh",
     .pytorch_class = "nn.RNN",
     .argument = "",
     .gates = 1,
     .states = kHidden,
     .next = next_of_rnn<Activation::Kind::kTanh>},
    {.name = "rnn_relu",
     .pytorch_class = "nn.RNN",
     .argument = ", nonlinearity=\"relu\"",
     .gates = 1,
     .states = kHidden,
     .next = next_of_rnn<Activation::Kind::kRelu>},
};

/// The state after one position, from the state before it and the product of its input.
Graph body_of(const Graph& around, const RecurrentModule& module, Dimension batch) {
  const RecurrentCell& cell = module.cell;
  const Dimension H = module.hidden_size;
  Graph graph = around.sibling();
  const TensorId from_input = graph.add_input(format("input_{}", {cell.products()}),
                                              {batch, {cell.gates * H, Axis::kFeature}});
  std::vector<TensorId> state;
  for (const std::string_view name : cell.states)
    state.push_back(graph.add_input(name, {batch, H}));
  const TensorId from_state = apply_linear(graph, module.of_state, "project", state[0],
                                           format("state_{}", {cell.products()}));
  TensorId after = cell.next(graph, from_input, from_state, state);
  for (const std::string_view name : cell.states) graph.add_result(name, after++);
  return graph;
}

/// "output, (last_hidden, last_cell) = super().forward(hidden_states)"; a GRU and an RNN return
/// their only state without a tuple.
std::string statement(const RecurrentCell& cell, std::string_view call, std::string_view input) {
  std::string state = "last_hidden";
  if (cell.states.size() > 1) state = format("({}, last_cell)", {state});
  return format("output, {} = {}({})", {state, call, input});
}

}  // namespace

std::span<const RecurrentCell> recurrent_cells() { return kCells; }

const RecurrentCell& recurrent_cell(std::string_view name) {
  const auto* const cell = std::ranges::find(kCells, name, &RecurrentCell::name);
  if (cell == std::end(kCells)) throw std::logic_error("no recurrent cell has this name");
  return *cell;
}

RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape) {
  const Dimension H = shape.hidden_size, gates{shape.cell.gates * H, Axis::kFeature};
  const Init uniform{.kind = Init::Kind::kUniform,
                     .spread = 1.0 / std::sqrt(static_cast<double>(H))};
  RecurrentModule recurrent{.cell = shape.cell, .hidden_size = H};
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
  return format(
      "{}, {}{}{}, batch_first=True",
      {shape.input_size, shape.hidden_size, shape.cell.argument, shape.bias ? "" : ", bias=False"});
}

RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call) {
  const RecurrentCell& cell = module.cell;
  const size_t begin = graph.steps().size();
  const Shape shape = graph.tensor(hidden_states).shape;
  const Dimension B = shape[0], T = shape[1], H = module.hidden_size;
  const TensorId by_position =
      graph.add_step("time_first", "project", make_op<SwapFirstTwo>(shape, /*contiguous=*/true),
                     {hidden_states}, "time_first");
  const TensorId from_input = apply_linear(graph, module.of_input, "project", by_position,
                                           format("input_{}", {cell.products()}));
  using Kind = Argument::Kind;
  std::vector<Argument> arguments{{.kind = Kind::kSlice, .given = from_input}};
  Loop loop{.name = "positions", .length = T, .outputs = {{.result = 0, .stacked = true}}};
  for (const std::string_view state : cell.states) {
    const std::string name = format("initial_{}", {state});
    const TensorId zeros =
        graph.add_step(name, "recur", make_op<Zeros>(Shape{B, H}), {hidden_states}, name);
    const int result = static_cast<int>(arguments.size()) - 1;
    arguments.push_back({.kind = Kind::kCarried, .given = zeros, .result = result});
    loop.outputs.push_back({.result = result});
  }
  loop.bodies.push_back({.graph = std::make_shared<const Graph>(body_of(graph, module, B)),
                         .arguments = std::move(arguments)});
  const std::vector<TensorId> outputs = graph.add_loop(std::move(loop));
  const Shape stacked = graph.tensor(outputs[0]).shape;
  RecurrentResults results{};
  results.output =
      graph.add_step("batch_first", "recur", make_op<SwapFirstTwo>(stacked, /*contiguous=*/false),
                     {outputs[0]}, "output");
  std::vector<TensorId> returned{results.output};
  for (size_t i = 0; i < cell.states.size(); ++i) {
    const std::string name = format("last_{}", {cell.states[i]});
    results.state.push_back(
        graph.add_step(name, "recur", make_op<Stack>(0, Axis::kLayer), {outputs[i + 1]}, name));
    returned.push_back(results.state.back());
  }
  graph.add_group(begin, cell.pytorch_class,
                  statement(cell, call, graph.tensor(hidden_states).name), returned);
  return results;
}

}  // namespace attnscope
