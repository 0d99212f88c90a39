#pragma once

// Reading: the numbers, by plain loops in double precision. Slow, obviously right; judges
// run/program.

#include <vector>

#include "../graph/graph.h"
#include "parameters.h"
#include "progress.h"
#include "schedule.h"

namespace attnscope {

/// Values of the inputs, indexed by TensorId; nullptr for an absent optional input and for
/// everything that is no input.
using Inputs = std::vector<const Values*>;

/// Values of outputs_of(), in that order.
using Outputs = std::vector<Values>;

Outputs run_reference(const Graph& graph, const Parameters& parameters, const Inputs& inputs,
                      Keep keep = {}, const Progress& progress = {});

}  // namespace attnscope
