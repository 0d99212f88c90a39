#pragma once

// The constructor of a printed class.

#include <string>

#include "../graph/parameters.h"

namespace attnscope {

/// def __init__(self), which makes the modules and parameters of one class: those of a dotted name
/// stand in an nn.ModuleDict. Empty where there is nothing to make.
std::string constructor_text(const Parameters& parameters);

}  // namespace attnscope
