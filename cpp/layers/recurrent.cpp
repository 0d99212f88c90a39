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
#include "../ops/where.h"

namespace attnscope {
namespace {

TensorId next_of_lstm(Graph& graph, TensorId from_input, TensorId from_state,
                      const std::vector<TensorId>& state) {
  const TensorId gates =
      graph.add_step("add_gates", "recur", shared_op<Add>(), {from_input, from_state}, "gates");
  return graph.add_step("lstm_cell", "recur", shared_op<LstmCell>(), {gates, state[1]},
                        {"next_hidden", "next_cell", "activated_gates"});
}

TensorId next_of_gru(Graph& graph, TensorId from_input, TensorId from_state,
                     const std::vector<TensorId>& state) {
  return graph.add_step("gru_cell", "recur", shared_op<GruCell>(),
                        {from_input, from_state, state[0]},
                        {"next_hidden", "activated_gates", "new"});
}

template <Activation::Kind kind>
TensorId next_of_rnn(Graph& graph, TensorId from_input, TensorId from_state,
                     const std::vector<TensorId>&) {
  const TensorId sum =
      graph.add_step("add", "recur", shared_op<Add>(), {from_input, from_state}, "sum");
  return graph.add_step("activate", "recur", make_op<Activation>(kind), {sum}, "next_hidden");
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

/// The Python function that calls a recurrent layer with a mask. A sequence without a visible
/// position keeps its first state; PyTorch packs none of length 0.
std::string call_packed_text(bool several_states, bool initial_state) {
  const char* const more = initial_state ? ", state" : "";
  const char* last =
      initial_state ? "torch.where(empty, state, last)" : "last.masked_fill(empty, 0.0)";
  if (several_states) {
    last = initial_state ? "tuple(torch.where(empty, *parts) for parts in zip(state, last))"
                         : "tuple(part.masked_fill(empty, 0.0) for part in last)";
  }
  return format(R"(def call_packed(call, x, mask{}):
    """call() over the positions that the mask shows, as a packed sequence; else the output is 0."""
    if mask is None:
        return call(x{})
    mask, rnn = mask.expand(x.shape[:2]), nn.utils.rnn
    order = mask.int().argsort(dim=1, descending=True, stable=True).unsqueeze(2)  # visible first
    x, lengths = x.gather(1, order.expand_as(x)), mask.sum(1).clamp(min=1).cpu()
    packed = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    output, last = call(packed{})
    output, _ = rnn.pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
    output = torch.zeros_like(output).scatter(1, order.expand_as(output), output)
    output, empty = output.masked_fill(~mask.unsqueeze(2), 0.0), ~mask.any(1, keepdim=True)
    return output, {}
)",
                {more, more, more, last});
}

/// Adds the steps of a recurrent layer. Names of one direction's steps and tensors have the prefix
/// "l1_reverse_", as PyTorch's parameters end, unless there is one direction of one layer.
class Recurrence {
 public:
  Recurrence(Graph& graph, const RecurrentModule& module, const RecurrentInputs& inputs,
             const RecurrentCall& call)
      : graph_(graph), module_(module), shape_(module.shape), inputs_(inputs), call_(call) {}

  RecurrentResults run() {
    const size_t begin = graph_.steps().size();
    set_prefix("");
    for (size_t i = 0; i < shape_.cell.states.size(); ++i) add_initial(i);
    TensorId x = inputs_.hidden_states;
    for (int64_t layer = 0; layer < shape_.num_layers; ++layer) x = add_layer(layer, x);
    set_prefix("");
    x = graph_.add_step("batch_first", "recur",
                        make_op<SwapFirstTwo>(graph_.tensor(x).shape, is_copied()), {x},
                        "batch_first");
    const TensorId output =
        graph_.add_step("zero_hidden", "recur", make_op<ZeroRows>(ZeroRows::Rows::kHidden),
                        {x, inputs_.mask}, "output");
    const RecurrentResults results{output, add_last_state()};
    add_group(results, begin);
    graph_.set_prefix("");
    return results;
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

  void set_prefix(std::string_view own) {
    graph_.set_prefix(std::string(call_.prefix).append(own));
  }
  void set_prefix(int64_t layer, const char* direction = "") {
    set_prefix(is_single() ? "" : format("l{}_{}", {layer, direction}));
  }

  /// PyTorch has the two states of an LSTM as a tuple.
  std::string names_of(const std::vector<TensorId>& states) const {
    std::vector<std::string_view> names;
    names.reserve(states.size());
    for (const TensorId id : states) names.push_back(graph_.tensor(id).name);
    return format(names.size() > 1 ? "({})" : "{}", {join(names)});
  }

  bool is_copied() const { return call_.results == RecurrentCall::Results::kContiguousOutput; }

  std::vector<TensorId> add_last_state() {
    std::vector<TensorId> last_state;
    last_state.reserve(states_.size());
    for (const State& state : states_) {
      const std::string name = format("last_{}", {state.name});
      last_state.push_back(
          graph_.add_step(name, "recur", make_op<Stack>(0, Axis::kLayer), state.last, name));
    }
    return last_state;
  }

  /// All steps since `begin` are one call of PyTorch's.
  void add_group(const RecurrentResults& results, size_t begin) {
    const std::string_view output = graph_.tensor(results.output).name,
                           x = graph_.tensor(inputs_.hidden_states).name,
                           mask = graph_.tensor(inputs_.mask).name;
    const std::string initial =
        inputs_.initial_state.empty() ? "" : format(", {}", {names_of(inputs_.initial_state)});
    std::vector<TensorId> outputs;
    outputs.reserve(1 + results.last_state.size());
    outputs.push_back(results.output);
    std::string variables(output);
    const char* taken = is_copied() ? "[0].contiguous()" : "[0]";  // of the call's results
    if (call_.results == RecurrentCall::Results::kOutputAndState) {
      outputs.insert(outputs.end(), results.last_state.begin(), results.last_state.end());
      variables = format("{}, {}", {output, names_of(results.last_state)});
      taken = "";
    }
    graph_.add_group(
        {.call = std::string(shape_.cell.pytorch_class),
         .statement = format("{} = {}({}{}){}", {variables, call_.function, x, initial, taken}),
         .masked_statement = format("{} = call_packed({}, {}, {}{}){}",
                                    {variables, call_.function, x, mask, initial, taken}),
         .masked_helper = call_packed_text(states_.size() > 1, !inputs_.initial_state.empty()),
         .outputs = std::move(outputs),
         .begin = begin});
  }

  /// The first state of all directions, and the slices of it. Zeros of one direction have none.
  void add_initial(size_t state) {
    const std::string_view own = shape_.cell.states[state];
    const std::string name = format("initial_{}", {own});
    Shape shape =
        recurrent_state_shape(shape_, graph_.tensor(inputs_.hidden_states).shape[0], state);
    const int64_t directions = shape[0];
    const bool given = !inputs_.initial_state.empty();
    if (!given && is_single()) shape.erase(shape.begin());
    TensorId initial = given ? inputs_.initial_state[state]
                             : graph_.add_step(name, "recur", make_op<Zeros>(shape),
                                               {inputs_.hidden_states}, name);
    if (given || !is_single()) {
      std::vector<std::string> names;
      for (int64_t i = 0; i < directions; ++i) names.push_back(format("{}_{}", {name, i}));
      initial = graph_.add_step(format("split_{}", {name}), "recur", make_op<Unbind>(0, directions),
                                {initial}, names);
    }
    states_.push_back({own, initial});
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
    if (x == inputs_.hidden_states) {
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
    body.arguments.push_back({.given = inputs_.mask});
    loop.bodies.push_back(std::move(body));
    const std::vector<TensorId> outputs = graph_.add_loop(std::move(loop));
    for (size_t i = 0; i < states_.size(); ++i) states_[i].last.push_back(outputs[i + 1]);
    return outputs[0];
  }

  /// The state after one position, from the state before it and the products of its input: the
  /// state before, where the mask hides the position.
  Graph cell_graph(TensorId products) const {
    const Shape& all = graph_.tensor(products).shape;
    Graph graph = graph_.sibling();
    const TensorId from_input = graph.add_input(products_name(), {all[1], all[2]});
    std::vector<TensorId> before;
    for (const State& state : states_) {
      before.push_back(graph.add_input(state.name, graph_.tensor(state.initial).shape));
    }
    const TensorId mask = graph.add_padding_mask("mask", graph_.tensor(inputs_.mask).shape);
    const TensorId from_state = apply_linear(graph, direction().of_state, "project", before[0],
                                             format("state_{}", {shape_.cell.products()}));
    TensorId after = shape_.cell.next(graph, from_input, from_state, before);
    const TensorId hidden =
        direction().projection
            ? apply_linear(graph, *direction().projection, "project", after, "projected_hidden")
            : after;
    for (size_t i = 0; i < states_.size(); ++i, ++after) {
      const std::string_view name = states_[i].name;
      const TensorId kept = graph.add_step(format("keep_{}", {name}), "recur",
                                           make_op<WhereVisible>(RowMask(RowMask::kSlice)),
                                           {i == 0 ? hidden : after, before[i], mask}, name);
      graph.add_result(name, kept);
    }
    return graph;
  }

  Graph& graph_;
  const RecurrentModule& module_;
  const RecurrentShape& shape_;
  const RecurrentInputs& inputs_;
  const RecurrentCall& call_;
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
      added.of_state.weight = add("weight_hh", {gates, shape.state_size()});
      if (shape.bias) {
        added.of_input.bias = add("bias_ih", {gates});
        added.of_state.bias = add("bias_hh", {gates});
      }
      if (shape.proj_size) {
        added.projection = LinearModule{.weight = add("weight_hr", {*shape.proj_size, H})};
      }
    }
  }
  return recurrent;
}

RecurrentShape recurrent_shape(const Config& config, const char* cell) {
  const int64_t num_layers = config.integer("num_layers");
  return {.cell = recurrent_cell(config.choice(cell)),
          .input_size = config.dimension("input_size"),
          .hidden_size = config.dimension("hidden_size"),
          .num_layers = num_layers,
          .bidirectional = config.flag("bidirectional"),
          .bias = config.flag("bias"),
          .dropout = num_layers > 1 ? config.number("dropout") : 0};
}

std::string recurrent_arguments(const RecurrentShape& shape) {
  std::string text = format("{}, {}", {shape.input_size, shape.hidden_size});
  if (shape.num_layers > 1) text += format(", num_layers={}", {shape.num_layers});
  text += shape.cell.argument;
  if (!shape.bias) text += ", bias=False";
  text += ", batch_first=True";
  if (shape.dropout > 0) text += format(", dropout={}", {shape.dropout});
  if (shape.bidirectional) text += ", bidirectional=True";
  if (shape.proj_size) text += format(", proj_size={}", {*shape.proj_size});
  return text;
}

Shape recurrent_state_shape(const RecurrentShape& shape, Dimension batch, size_t state) {
  const Dimension size = state == 0 ? shape.state_size() : shape.hidden_size;
  return {{shape.num_layers * shape.directions(), Axis::kLayer}, batch, size};
}

RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module,
                               const RecurrentInputs& inputs, const RecurrentCall& call) {
  return Recurrence(graph, module, inputs, call).run();
}

}  // namespace attnscope
