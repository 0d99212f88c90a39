#pragma once

// Reading: the layer as PyTorch source that runs.

#include <string>

#include "../layers/layer.h"

namespace attnscope {

struct PytorchOptions {
  bool self_check = true;  // append a main that compares parameters, shapes, FLOPs and saved bytes
  bool mask = false;       // forward() takes the optional masks
};

/// A file with one nn.Module of the layer's class; forward() carries each line's shape in a
/// comment. With options.self_check, run by itself it prints OK, or MISMATCH and exits with 1.
std::string pytorch_source(const Config& config, const PytorchOptions& options);

}  // namespace attnscope
