#pragma once

// Reading: the numbers, by plain loops in double precision. Slow, obviously right; judges
// run/program.

#include <vector>

#include "../graph/graph.h"
#include "parameters.h"

namespace attnscope {

/// Values of the inputs, indexed by TensorId; nullptr for an absent optional input and for
/// everything that is no input.
using Inputs = std::vector<const Values*>;

/// What a run hands out: Graph::results(), with attention weights or without, and what takes the
/// place of caches afterwards.
struct Keep {
  bool weights = true;
  bool caches = false;
};
std::vector<TensorId> outputs_of(const Graph& graph, Keep keep);

/// Values of outputs_of(), in that order.
using Outputs = std::vector<Values>;

Outputs run_reference(const Graph& graph, const Parameters& parameters, const Inputs& inputs,
                      Keep keep = {});

}  // namespace attnscope
