#pragma once

// One piece of memory for all activations of a run, planned before it is allocated.

#include <span>
#include <vector>

#include "../graph/count.h"

namespace attnscope {

/// Memory that is needed from one step to another, both included.
struct Occupancy {
  Count size;
  int born, freed;
};

struct ArenaPlan {
  std::vector<Count> offsets;  // parallel to the spans
  Count size = 0;
};

/// Places spans so that no two that live at the same time share memory, each in the smallest gap
/// that it fits. Tries three orders, of which the one that takes least memory counts: as given, the
/// largest first, and first those that live when most memory is in use. Source: Pisarchyk and Lee
/// 2020, "Efficient Memory Management for Deep Neural Net Inference",
/// https://arxiv.org/abs/2001.03288, greedy by size and by breadth.
ArenaPlan plan_arena(std::span<const Occupancy> spans);

}  // namespace attnscope
