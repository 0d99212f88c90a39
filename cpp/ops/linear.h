#pragma once

// y = x Wᵀ + b, PyTorch's nn.Linear.

#include <string>

#include "../graph/graph.h"

namespace attnscope {

class Linear final : public SingleOp {
 public:
  std::string_view name() const override { return "linear"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// Weights of a linear layer: of an nn.Linear, or rows of a parameter of another module.
struct LinearModule {
  int module = -1;  // the nn.Linear that a step calls; -1: F.linear does it
  Weight weight{};  // (out_features, in_features)
  Weight bias{};    // (out_features,), or none
};

/// Declares nn.Linear(in_features, out_features) with PyTorch's initial values: weight, then bias,
/// both uniform in ±1/sqrt(in_features). `made` false: a base class or an outer module of PyTorch's
/// constructs it.
LinearModule declare_linear(Parameters& parameters, std::string_view name, Dimension in_features,
                            Dimension out_features, bool bias, bool made = true);

/// Applies it: x (..., in_features) -> (..., out_features). The step is called like
/// the module, or without one like its output.
TensorId apply_linear(Graph& graph, const LinearModule& linear, std::string_view part, TensorId x,
                      std::string_view output);

}  // namespace attnscope
