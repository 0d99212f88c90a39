#pragma once

// Reading: the numbers, by plain loops in double precision. Slow, obviously right; judges
// run/execute.

#include <optional>
#include <vector>

#include "../graph/graph.h"
#include "inputs.h"
#include "parameters.h"
#include "progress.h"
#include "schedule.h"

namespace attnscope {

/// By TensorId; nothing for an absent optional input.
using ReferenceValues = std::vector<std::optional<Array>>;

/// Makes what the steps of `graph` make of `values`, which has the parameters and the inputs.
void run_reference(const Graph& graph, ReferenceValues& values, const Progress& progress = {});

/// The same of a graph's parameters and inputs, with what `keep` says.
Outputs run_reference(const Graph& graph, const ParameterValues& parameters, const Inputs& inputs,
                      const Keep& keep = {}, const Progress& progress = {});

}  // namespace attnscope
