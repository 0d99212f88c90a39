#pragma once

// What a run hands out beside its results: tensors between its steps, asked for by name.

#include <string>
#include <string_view>
#include <vector>

#include "../graph/graph.h"

namespace attnscope {

/// The tensors of these names, which steps of `graph` make: "scores", or "encoder.layer.3.scores"
/// where a loop repeats it. Throws FieldError for any other name of `layer`, whose graph it
/// is.
std::vector<TensorId> find_tensors(const Graph& graph, std::string_view layer,
                                   const std::vector<std::string>& names);

}  // namespace attnscope
