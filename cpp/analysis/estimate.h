#pragma once

// The readings without numbers, together, as the JSON text that the bindings hand out.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../graph/dtype.h"
#include "../layers/layer.h"
#include "../training/recipe.h"

namespace attnscope {

struct EstimateOptions {
  bool steps = true;                 // false leaves out the steps, their shapes and the timeline
  bool tensors = false;              // true lists the names that a run has for what steps make
  std::optional<Recipe> training{};  // a whole step of training is sized as well
};

/// Everything that the layer costs, as web/lib/types.js documents it; no tensor is allocated.
/// Counts are printed with all their digits, so that a reader rounds them to the nearest double.
std::string estimate_json(const Config& config, const EstimateOptions& options);

/// What stands among estimates of several configs in the place of one that is refused:
/// {error, field, index}.
std::string refusal_json(size_t index, std::string_view message, std::string_view field);

/// A model: {config, inputs}, as in an estimate, and {storage}, the formats in which runs read each
/// parameter (by index in graph.parameters()) and the KV cache (nothing: the layer has none).
std::string model_json(const Config& config, const Graph& graph,
                       const std::vector<Dtype>& parameter_formats,
                       std::optional<Dtype> cache_format);

/// The registry: each layer with its fields, types, defaults, ranges and meanings, its inputs and
/// results, and the class that is printed for it.
std::string layers_json();

/// The number formats.
std::string formats_json();

}  // namespace attnscope
