#pragma once

// A layer's learned values.

#include <cstdint>
#include <vector>

#include "../graph/parameters.h"
#include "random.h"
#include "values.h"

namespace attnscope {

/// Values of every parameter by its flat number: in the order of PyTorch's state dict.
using ParameterValues = std::vector<Values>;

/// The values that torch.manual_seed(seed) gives the same nn.Module.
ParameterValues initial_values(const Parameters& parameters, uint64_t seed);

/// The same of a generator that goes on afterwards.
ParameterValues initial_values(const Parameters& parameters, Generator& generator);

}  // namespace attnscope
