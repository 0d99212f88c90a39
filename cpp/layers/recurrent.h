#pragma once

// nn.LSTM: its parameters, and what it does position by position.

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

struct RecurrentShape {
  Dimension input_size, hidden_size;
  bool bias;
};

/// Linear layers that make the gates: of the input, and of the state before a position.
struct RecurrentModule {
  LinearModule of_input, of_state;
  Dimension hidden_size;
};

/// Declares the parameters of nn.LSTM in `module`, drawn as PyTorch draws them: uniform in
/// ±1/sqrt(hidden_size), in the order of the state dict.
RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape);

/// The arguments of nn.LSTM's constructor: "256, 512, batch_first=True".
std::string recurrent_arguments(const RecurrentShape& shape);

struct RecurrentResults {
  TensorId output,   // (B, T, H)
      hidden, cell;  // (1, B, H), after the last position
};

/// Adds an LSTM over hidden_states (B, T, E) that begins with a state of zeros. Its tensors are
/// called output, last_hidden and last_cell; printed code has one statement for all steps, in which
/// `call` is the function that is called: "super().forward".
RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call);

}  // namespace attnscope
