#pragma once

// What a run hands out beside its results: tensors between its steps, asked for by name.

#include <string>
#include <string_view>
#include <vector>

#include "../graph/graph.h"

namespace attnscope {

/// The tensors of these names, which a step of `graph` makes: "scores", or "encoder.layer.3.scores"
/// where unroll() has repeated it. For "masked_scores" the step is added. Throws FieldError for any
/// other name of `layer`, whose graph it is.
std::vector<TensorId> find_tensors(Graph& graph, std::string_view layer,
                                   const std::vector<std::string>& names);

}  // namespace attnscope
