#pragma once

// A run that reads and changes what lives between runs: all of it changes, or nothing.

#include <string_view>

#include "execute.h"
#include "plan.h"
#include "random.h"
#include "state.h"

namespace attnscope {

/// All that lives between runs beside the parameters.
struct Kept {
  States states;
  Counters counters;
  Generator generator;
};

/// Runs a plan whose states are those of `kept`; `inputs` are those of its graph without states
/// and filled tensors. A result by which a state is replaced is moved into it, and empty
/// afterwards. Throws FieldError when a number that must be finite is not, but for the result
/// `unchecked`. When it throws, or `progress` does, then parameters, states, counters and generator
/// are as they were.
Results transact(const Plan& plan, const BoundWeights& weights, Inputs inputs, Kept& kept,
                 const Progress& progress = {}, std::string_view unchecked = {});

}  // namespace attnscope
