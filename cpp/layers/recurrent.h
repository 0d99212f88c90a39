#pragma once

// nn.LSTM, nn.GRU and nn.RNN: their parameters, and what they do position by position.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

/// The most layers in one recurrent layer: each stands in its graph by itself.
inline constexpr int64_t kMostRecurrentLayers = 64;

/// A recurrent layer's cell: from the state before a position and its input to the state after.
struct RecurrentCell {
  std::string_view name;                     // as users choose it: "lstm"
  std::string_view pytorch_class;            // "nn.LSTM"
  int64_t gates;                             // the rows of a weight are gates × hidden_size
  std::span<const std::string_view> states;  // "hidden", and "cell" of an LSTM

  /// Adds the steps that make the state after a position. `from_input` and `from_state` (B, gates ×
  /// H) are the products of the position's input and of the hidden state, `state` the state before.
  /// Returns the hidden state after, (B, H) even where it is yet to be projected; an LSTM's cell is
  /// the next tensor.
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
  std::optional<Dimension>
      proj_size{};  // of an LSTM: features that its hidden state is projected to

  int64_t directions() const { return bidirectional ? 2 : 1; }
  /// Features of a hidden state.
  Dimension state_size() const { return proj_size.value_or(hidden_size); }
  /// Features of the output: the hidden states of both directions side by side.
  Dimension output_size() const { return {directions() * state_size(), hidden_size.axis}; }
};

/// The shape that a layer's fields ask for: input_size, hidden_size, num_layers, bidirectional,
/// bias, dropout where there are layers between which it can be, and the cell in the field `cell`.
RecurrentShape recurrent_shape(const Config& config, const char* cell);

/// One direction of one layer: linear layers of its input and of the hidden state before a
/// position, and the projection of the hidden state after it, where there is one.
struct RecurrentDirection {
  LinearModule of_input{}, of_state{};
  std::optional<LinearModule> projection{};
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

/// Shape of a state, by its place in cell.states, of all layers and directions: (layers ×
/// directions, B, H), or, of a hidden state that is projected, (layers × directions, B, proj_size).
Shape recurrent_state_shape(const RecurrentShape& shape, Dimension batch, size_t state);

struct RecurrentInputs {
  TensorId hidden_states;                 // (B, T, E)
  TensorId mask;                          // (B, T), optional
  std::vector<TensorId> initial_state{};  // by cell.states; zeros if empty
};

/// How printed code calls a recurrent layer.
struct RecurrentCall {
  /// The results that the printed statement assigns.
  enum class Results {
    kOutputAndState,
    kOutput,
    kContiguousOutput,  // a copy of the output, which PyTorch returns as a view of (T, B, H) by
                        // strides: each linear layer that reads such a view would keep a copy of
                        // its own for the backward pass
  };

  std::string_view function;  // "super().forward", "self.encoder"
  std::string_view prefix{};  // of the names of all steps and tensors
  Results results = Results::kOutputAndState;
};

struct RecurrentResults {
  TensorId output;                   // (B, T, directions × H)
  std::vector<TensorId> last_state;  // by cell.states: after the last position forward, and after
                                     // the first one backward
};

/// Adds a recurrent layer. A position that the mask hides changes no state, and its output is 0: as
/// in a packed sequence, the last state is that of the last visible position, at which the backward
/// direction begins. Its tensors are called output, last_hidden and last_cell; printed code has one
/// statement for all steps. With a mask, noise of dropout between layers is drawn for hidden
/// positions too; PyTorch draws none for those.
RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module,
                               const RecurrentInputs& inputs, const RecurrentCall& call);

}  // namespace attnscope
