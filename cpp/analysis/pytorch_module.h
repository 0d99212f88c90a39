#pragma once

// The classes of a printed file: the layer's nn.Module and, above it, one for each body that it
// calls.

#include <string>

#include "../graph/rows.h"
#include "../layers/layer.h"

namespace attnscope {

/// The Python expression of one step, with the row's names of tensors as variables.
std::string pytorch_expression(const Row& row);

/// Helper functions that the masks and steps call, each once.
std::string helpers_text(const Graph& graph);

/// The classes; forward() carries each line's shape in a comment.
std::string classes_text(const Layer& layer, const Graph& graph);

}  // namespace attnscope
