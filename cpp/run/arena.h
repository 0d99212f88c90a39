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

/// Places spans so that none shares memory with another of the same time: each in the smallest gap
/// that it fits, in the order given, the largest first, or first those of the fullest time,
/// whichever takes least. Source: Pisarchyk and Lee 2020, "Efficient Memory Management for Deep
/// Neural Net Inference", https://arxiv.org/abs/2001.03288, greedy by size and by breadth.
ArenaPlan plan_arena(std::span<const Occupancy> spans);

}  // namespace attnscope
