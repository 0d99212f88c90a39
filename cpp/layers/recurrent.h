#pragma once

// nn.LSTM, nn.GRU and nn.RNN: their parameters, and what they do position by position.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

/// A recurrent layer's cell: from the state before a position and its input to the state after.
struct RecurrentCell {
  std::string_view name;                     // as users choose it: "lstm"
  std::string_view pytorch_class;            // "nn.LSTM"
  int64_t gates;                             // the rows of a weight are gates × hidden_size
  std::span<const std::string_view> states;  // "hidden", and "cell" of an LSTM

  /// Adds the steps that make the state after a position. `from_input` and `from_state` (B, gates ×
  /// H) are the products of the position's input and of the hidden state, `state` the state before.
  /// Returns the hidden state after; an LSTM's cell is the next tensor.
  TensorId (*next)(Graph& graph, TensorId from_input, TensorId from_state,
                   const std::vector<TensorId>& state);

  /// The class is constructed with it: ", nonlinearity=\"relu\"".
  std::string_view argument{};

  /// Names of those products begin with "input_" and "state_"; gates where the cell has some.
  std::string_view products() const { return gates > 1 ? "gates" : "projection"; }
};

/// lstm, gru, rnn_tanh and rnn_relu.
std::vector<std::string_view> recurrent_cell_names();

/// The cell of this name; std::logic_error for another.
const RecurrentCell& recurrent_cell(std::string_view name);

struct RecurrentShape {
  const RecurrentCell& cell;
  Dimension input_size, hidden_size;
  int64_t num_layers;
  bool bidirectional, bias;
  double dropout;  // of each layer's output but the last

  int64_t directions() const { return bidirectional ? 2 : 1; }
  /// Features of the output: the states of both directions side by side.
  Dimension output_size() const { return {directions() * hidden_size, hidden_size.axis}; }
};

/// One direction of one layer: linear layers of its input, and of the hidden state before a
/// position.
struct RecurrentDirection {
  LinearModule of_input{}, of_state{};
};

struct RecurrentModule {
  RecurrentShape shape;
  std::vector<RecurrentDirection> directions{};  // of each layer forward, then backward
};

/// Declares the parameters of a recurrent layer in `module`, drawn as PyTorch draws them: uniform
/// in ±1/sqrt(hidden_size), in the order of the state dict.
RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape);

/// The arguments of the constructor in PyTorch: "256, 512, batch_first=True".
std::string recurrent_arguments(const RecurrentShape& shape);

struct RecurrentResults {
  TensorId output;              // (B, T, directions × H)
  std::vector<TensorId> state;  // (layers × directions, B, H) each, by cell.states: after the last
                                // position forward, and after the first one backward
};

/// Adds a recurrent layer over hidden_states (B, T, E) that begins with a state of zeros. Its
/// tensors are called output, last_hidden and last_cell; printed code has one statement for all
/// steps, in which `call` is the function that is called: "super().forward".
RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call);

}  // namespace attnscope
