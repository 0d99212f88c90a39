#pragma once

// Reading: the numbers, by the SIMD kernels, as a schedule has them.

#include <span>

#include "function_ref.h"
#include "progress.h"
#include "schedule.h"
#include "weights.h"

namespace attnscope {

/// Called before the first update of a run, and then no more.
using BeforeUpdates = FunctionRef<void(const Workspace& workspace)>;

/// Runs the schedule with these weights, which are those of its graph, packed as it says.
/// `progress` may be empty. Where the schedule updates parameters or state in place,
/// `before_updates`, unless it is empty, is called before the first update; when it throws, nothing
/// has changed. From then on nothing is allocated and `progress` is not told, so nothing throws.
/// `caches`, unless it is empty, is parallel to the graph's states, with nullptr of those that are
/// none, and gets the new positions appended.
Outputs execute(const Schedule& schedule, const BoundWeights& weights, const Inputs& inputs,
                const Progress& progress, std::span<CachedRows* const> caches = {},
                BeforeUpdates before_updates = {});

}  // namespace attnscope
