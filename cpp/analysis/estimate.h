#pragma once

// The readings without numbers, together, as the JSON text that the bindings hand out.

#include <string>

#include "../layers/layer.h"

namespace attnscope {

/// Everything that the layer costs; no tensor is allocated. web/lib/estimate.js makes of it what is
/// documented in web/lib/types.js: steps and timeline come as values without keys, and what follows
/// from the rest does not come. Counts are printed with all their digits, so that a reader rounds
/// them to the nearest double.
std::string estimate_json(const Config& config);

/// What a model of this graph is and takes: {config, inputs}, as in an estimate.
std::string model_json(const Config& config, const Graph& graph);

/// The registry: each layer with its fields, types, defaults, ranges and meanings, and its inputs.
std::string layers_json();

}  // namespace attnscope
