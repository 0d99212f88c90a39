#pragma once

// nn.LSTM: its parameters, and what it does position by position.

#include "../ops/linear.h"
#include "layer.h"

namespace attnscope {

struct RecurrentShape {
  Dimension input_size, hidden_size;
  bool bias;
};

/// What makes the gates, of the input and of the state before.
struct RecurrentModule {
  LinearModule of_input, of_state;
  Dimension hidden_size;
};

/// The parameters of nn.LSTM as PyTorch draws them: uniform in ±1/sqrt(hidden_size), in the order
/// of the state dict. `module`: the one that has them.
RecurrentModule declare_recurrent(Parameters& parameters, int module, const RecurrentShape& shape);

/// The arguments of its constructor.
std::string recurrent_arguments(const RecurrentShape& shape);

struct RecurrentResults {
  TensorId output,   // (B, T, H)
      hidden, cell;  // (1, B, H), behind the last position
};

/// hidden_states (B, T, E), from a state of zeros on. The tensors are called output, last_hidden
/// and last_cell, and in printed code `call` makes them: "super().forward".
RecurrentResults add_recurrent(Graph& graph, const RecurrentModule& module, TensorId hidden_states,
                               std::string_view call);

}  // namespace attnscope
