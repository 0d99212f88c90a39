#include "recurrent.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/concat.h"
#include "../ops/dropout.h"
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
     .gates = 4,
     .states = kHiddenAndCell,
     .next = next_of_lstm},
    {.name = "gru", .pytorch_class = "nn.GRU", .gates = 3, .states = kHidden, .next = next_of_gru},
    {.name = "rnn_tanh",
     .pytorch_class = "nn.RNN",
     .gates = 1,
     .states = kHidden,
     .next = next_of_rnn<Activation::Kind::kTanh>},
    {.name = "rnn_relu",
     .pytorch_class = "nn.RNN",
     .gates = 1,
     .states = kHidden,
     .next = next_of_rnn<Activation::Kind::kRelu>,
     .argument = ", nonlinearity=\"relu\""},
};

/// Adds the steps of a recurrent layer. Names of one direction's steps and tensors begin with
/// "l1_reverse_", as PyTorch's parameters end, unless there is one direction of one layer.
class Recurrence {
 public:
  Recurrence(Graph& graph, const RecurrentModule& module, TensorId hidden_states)
      : graph_(graph), module_(module), shape_(module.shape), input_(hidden_states) {}

  RecurrentResults run(std::string_view call) {
    const size_t begin = graph_.steps().size();
    for (const std::string_view state : shape_.cell.states) add_initial(state);
    TensorId x = input_;
    for (int64_t layer = 0; layer < shape_.num_layers; ++layer) x = add_layer(layer, x);
    graph_.set_prefix("");
    std::vector<TensorId> results;
    results.reserve(1 + states_.size());
    results.push_back(graph_.add_step(
        "batch_first", "recur", make_op<SwapFirstTwo>(graph_.tensor(x).shape, /*contiguous=*/false),
        {x}, "output"));
    for (const State& state : states_) {
      const std::string name = format("last_{}", {state.name});
      results.push_back(
          graph_.add_step(name, "recur", make_op<Stack>(0, Axis::kLayer), state.last, name));
    }
    std::vector<std::string_view> names;
    names.reserve(states_.size());
    for (const TensorId id : results | std::views::drop(1)) names.push_back(graph_.tensor(id).name);
    // PyTorch returns the two states of an LSTM as a tuple.
    const std::string state = format(names.size() > 1 ? "({})" : "{}", {join(names)});
    graph_.add_group(begin, shape_.cell.pytorch_class,
                     format("output, {} = {}({})", {state, call, graph_.tensor(input_).name}),
                     results);
    return {results.front(), {results.begin() + 1, results.end()}};
  }

 private:
  struct State {
    std::string_view name;
    TensorId initial;              // of the first direction; the others follow it
    std::vector<TensorId> last{};  // by direction
  };

  /// Of the direction that is being added.
  size_t place() const { return states_[0].last.size(); }
  const RecurrentDirection& direction() const { return module_.directions[place()]; }

  std::string products_name() const { return format("input_{}", {shape_.cell.products()}); }

  bool is_single() const { return module_.directions.size() == 1; }

  void set_prefix(int64_t layer, const char* direction = "") {
    graph_.set_prefix(is_single() ? "" : format("l{}_{}", {layer, direction}));
  }

  /// Zeros of all directions, and the slices of them.
  void add_initial(std::string_view state) {
    const auto count = static_cast<int64_t>(module_.directions.size());
    const std::string name = format("initial_{}", {state});
    Shape shape{graph_.tensor(input_).shape[0], shape_.hidden_size};
    if (!is_single()) shape.insert(shape.begin(), {count, Axis::kLayer});
    TensorId initial = graph_.add_step(name, "recur", make_op<Zeros>(shape), {input_}, name);
    if (!is_single()) {
      std::vector<std::string> names;
      for (int64_t i = 0; i < count; ++i) names.push_back(format("{}_{}", {name, i}));
      initial = graph_.add_step(format("split_{}", {name}), "recur", make_op<Unbind>(0, count),
                                {initial}, names);
    }
    states_.push_back({state, initial});
  }

  /// The output (T, B, directions × H) of a layer. x is the layer's input, batch first, or the
  /// output of the layer before it.
  TensorId add_layer(int64_t layer, TensorId x) {
    set_prefix(layer);
    TensorId products = add_products(x);
    TensorId output = add_positions(products, /*reverse=*/false);
    if (shape_.bidirectional) {
      set_prefix(layer, "reverse_");
      const TensorId forward = std::exchange(products, add_products(x));
      graph_.hold(forward);
      const TensorId backward = add_positions(products, /*reverse=*/true);
      set_prefix(layer);
      output =
          graph_.add_step("concat", "combine", make_op<Concat>(2), {output, backward}, "output");
    }
    graph_.hold(products);
    if (layer + 1 == shape_.num_layers) return output;
    return apply_dropout(graph_, {.share = shape_.dropout}, "combine", output, "dropped");
  }

  /// The products of all inputs of a direction (T, B, gates × H).
  TensorId add_products(TensorId x) {
    if (x == input_) {
      x = graph_.add_step("time_first", "project",
                          make_op<SwapFirstTwo>(graph_.tensor(x).shape, /*contiguous=*/true), {x},
                          "time_first");
    }
    return apply_linear(graph_, direction().of_input, "project", x, products_name());
  }

  /// The hidden states of a direction (T, B, H).
  TensorId add_positions(TensorId products, bool reverse) {
    using Kind = Argument::Kind;
    Body body{.graph = std::make_shared<const Graph>(cell_graph(products)),
              .arguments = {{.kind = Kind::kSlice, .given = products}}};
    Loop loop{.name = "positions",
              .length = graph_.tensor(products).shape[0],
              .reverse = reverse,
              .outputs = {{.result = 0, .stacked = true}}};
    for (const State& state : states_) {
      const int result = static_cast<int>(&state - states_.data());
      body.arguments.push_back({.kind = Kind::kCarried,
                                .given = state.initial + static_cast<TensorId>(place()),
                                .result = result});
      loop.outputs.push_back({.result = result});
    }
    loop.bodies.push_back(std::move(body));
    const std::vector<TensorId> outputs = graph_.add_loop(std::move(loop));
    for (size_t i = 0; i < states_.size(); ++i) states_[i].last.push_back(outputs[i + 1]);
    return outputs[0];
  }

  /// The state after one position, from the state before it and the products of its input.
  Graph cell_graph(TensorId products) const {
    const Shape& all = graph_.tensor(products).shape;
    Graph graph = graph_.sibling();
    const TensorId from_input = graph.add_input(products_name(), {all[1], all[2]});
    std::vector<TensorId> before;
    for (const State& state : states_) {
      before.push_back(graph.add_input(state.name, {all[1], shape_.hidden_size}));
    }
    const TensorId from_state = apply_linear(graph, direction().of_state, "project", before[0],
                                             format("state_{}", {shape_.cell.products()}));
    TensorId after = shape_.cell.next(graph, from_input, from_state, before);
    for (const State& state : states_) graph.add_result(state.name, after++);
    return graph;
  }

  Graph& graph_;
  const RecurrentModule& module_;
  const RecurrentShape& shape_;
  const TensorId input_;  // hidden_states
  std::vector<State> states_{};
};

}  // namespace

std::vector<std::string_view> recurrent_cell_names() {
  std::vector<std::string_view> names;
  for (const RecurrentCell& cell : kCells) names.push_back(cell.name);
  return names;
}

const RecurrentCell& recurrent_cell(std::string_view name) {
  const auto* const cell = std::ranges::find(kCells, name, &RecurrentCell::name);
  if (cell == std::end(kCells)) throw std::logic_error("no recurrent cell has this name");
  return *cell;
}

RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape) {
  const Dimension H = shape.hidden_size, gates{shape.cell.gates * H, Axis::kFeature};
  const Init uniform{.kind = Init::Kind::kUniform,
                     .spread = 1.0 / std::sqrt(static_cast<double>(H))};
  RecurrentModule recurrent{.shape = shape};
  for (int64_t layer = 0; layer < shape.num_layers; ++layer) {
    const Dimension input = layer == 0 ? shape.input_size : shape.output_size();
    for (int64_t direction = 0; direction < shape.directions(); ++direction) {
      const auto add = [&](const char* name, Shape of) {
        return Weight{parameters.add(
            module, format("{}_l{}{}", {name, layer, direction == 0 ? "" : "_reverse"}),
            std::move(of), uniform)};
      };
      RecurrentDirection& added = recurrent.directions.emplace_back();
      added.of_input.weight = add("weight_ih", {gates, input});
      added.of_state.weight = add("weight_hh", {gates, H});
      if (!shape.bias) continue;
      added.of_input.bias = add("bias_ih", {gates});
      added.of_state.bias = add("bias_hh", {gates});
    }
  }
  return recurrent;
}

std::string recurrent_arguments(const RecurrentShape& shape) {
  std::string text = format("{}, {}", {shape.input_size, shape.hidden_size});
  if (shape.num_layers > 1) text += format(", num_layers={}", {shape.num_layers});
  text += shape.cell.argument;
  if (!shape.bias) text += ", bias=False";
  text += ", batch_first=True";
  if (shape.dropout > 0) text += format(", dropout={}", {shape.dropout});
  if (shape.bidirectional) text += ", bidirectional=True";
  return text;
}

RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call) {
  return Recurrence(graph, module, hidden_states).run(call);
}

}  // namespace attnscope
