#pragma once

// What transformer layers share: feed-forward networks and residual connections, before or after
// their norm.

#include "../ops/dropout.h"
#include "../ops/linear.h"
#include "../ops/norm.h"
#include "layer.h"

namespace attnscope {

/// down(dropout(f(up(x)))), or gated: down(f(gate(x)) up(x)), Shazeer 2020,
/// https://arxiv.org/abs/2002.05202. f is an activation by its name, or "relu2", relu squared: So
/// et al. 2021, https://arxiv.org/abs/2109.08668.
struct FeedForward {
  LinearModule up{}, down{};
  std::optional<LinearModule> gate{};
  std::string_view activation{};
  DropoutModule dropout{};

  TensorId apply(Graph& graph, TensorId x, std::string_view output) const;
};

/// x + y, called `output`.
TensorId add_residual(Graph& graph, TensorId x, TensorId y, std::string_view output);

Field activation_field(const char* fallback, std::vector<std::string_view> choices);

}  // namespace attnscope
