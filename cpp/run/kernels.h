#pragma once

// Which kernel computes which step.

#include "program.h"

namespace attnscope {

/// The kernel of one step; a step whose op has none yet runs by its reference loops.
Kernel kernel_for(const Graph& graph, const Step& step, const Parameters& parameters);

/// A kernel that does several consecutive steps at once.
struct Fusion {
  size_t steps = 0;  // how many; 0 when none fits
  Kernel kernel;
};

/// The fused kernel that can start at steps()[first].
Fusion fusion_at(const Graph& graph, size_t first, const Parameters& parameters);

}  // namespace attnscope
