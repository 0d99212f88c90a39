#pragma once

// Reading: the memory of a whole step of training.

#include <vector>

#include "../graph/dtype.h"
#include "../training/training.h"

namespace attnscope {

/// Bytes, at the config's dtype.
struct TrainingMemory {
  Count parameters = 0;
  Count gradients = 0;         // of the parameters that are trained
  Count optimizer = 0;         // what it keeps for each of them
  Count kept = 0;              // parameters + gradients + optimizer: between two steps
  Count inputs = 0;            // and what the result is held against
  Count noise = 0;             // of dropout
  Count activations_peak = 0;  // most bytes alive at once of what steps make, gradients included
  Count peak = 0;  // parameters + optimizer + inputs + noise + activations_peak: of a whole step

  std::vector<Count> step_saved{};  // as Memory has it: 0 of a step without gradients behind it
};
TrainingMemory training_memory(const TrainingGraph& training, Dtype dtype);

}  // namespace attnscope
