#pragma once

// The parameters of nn.MultiheadAttention, which keeps three projections in one tensor.

#include "projections.h"

namespace attnscope {

struct PackedMultihead {
  Dimension hidden_size, kdim, vdim;
  bool bias = true;
  bool add_bias_kv = false;
  std::string prefix{};  // of variables in printed code, where a layer attends twice
};

struct PackedProjections {
  Projections projections;
  Weight bias_k{}, bias_v{};  // (1, 1, hidden_size), or none
};

/// Declares what nn.MultiheadAttention(hidden_size, ...) has inside the module `name`: "" for the
/// layer itself. The modules have no constructor here: that of PyTorch's class makes them.
PackedProjections declare_packed_multihead(Parameters& parameters, std::string_view name,
                                           const PackedMultihead& shape);

}  // namespace attnscope
