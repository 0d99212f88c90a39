#pragma once

// y = x Wᵀ + b, PyTorch's nn.Linear.

#include <string>

#include "../graph/graph.h"

namespace attnscope {

class Linear final : public Op {
 public:
  std::string_view name() const override { return "linear"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward() const override { return {{0}, false}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// A declared nn.Linear(in_features, out_features).
struct LinearModule {
  int module;
  TensorId weight;            // (out_features, in_features)
  TensorId bias = kNoTensor;  // (out_features,), kNoTensor without bias
};

/// Declares the module with PyTorch's initial values: weight, then bias, both uniform in
/// ±1/sqrt(in_features).
LinearModule declare_linear(Graph& graph, std::string name, int64_t in_features,
                            int64_t out_features, bool bias);

/// Applies it: x (..., in_features) -> (..., out_features). The step is called like the module.
TensorId apply_linear(Graph& graph, const LinearModule& linear, std::string part, TensorId x,
                      std::string output);

}  // namespace attnscope
