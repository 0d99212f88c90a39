#pragma once

// Other lengths than the config's: what inputs of other shapes ask for.

#include <utility>
#include <vector>

#include "../layers/layer.h"

namespace attnscope {

/// The shape that was given for an input of a graph.
using GivenShape = std::pair<TensorId, Shape>;

/// `config` with the batch_size, seq_len and kv_len that the inputs have; checks nothing, and
/// leaves out what has another rank than the input of `graph`, which is the config's.
Config with_lengths_of(const Config& config, const Graph& graph,
                       const std::vector<GivenShape>& given);

/// Whether `other`, the graph of the same layer for other lengths, has the parameters of `graph`,
/// and inputs of the shapes that were given for those of `graph`.
bool fits_instead(const Graph& other, const Graph& graph, const std::vector<GivenShape>& given);

}  // namespace attnscope
