#pragma once

// Reading: the numbers, by plain loops in double precision. Slow, obviously right; judges
// run/program.

#include "../graph/graph.h"
#include "inputs.h"
#include "parameters.h"
#include "progress.h"
#include "schedule.h"

namespace attnscope {

Outputs run_reference(const Graph& graph, const Parameters& parameters, const Inputs& inputs,
                      Keep keep = {}, const Progress& progress = {});

}  // namespace attnscope
