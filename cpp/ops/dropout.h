#pragma once

#include "../graph/gradients.h"

namespace attnscope {

/// Identity in inference. In training PyTorch's CPU code multiplies by a tensor of noise, in the
/// layer's number format, which it keeps. Srivastava et al. 2014.
class Dropout final : public Op {
 public:
  explicit Dropout(double share) : share_(share) {}

  std::string_view name() const override { return "dropout"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Saved saved_for_backward(const InputShapes&, const Shape& output) const override {
    return {.elements = elements(output)};
  }
  Aliasing aliasing() const override { return Aliasing::kUnlessTraining; }
  Array forward(const std::vector<const Array*>& inputs) const override { return *inputs[0]; }
  /// In evaluation, as forward(): training puts a product with noise in its place.
  void gradients(GradientBuilder& step) const override { step.give(0, step.gradient()); }
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double share_;
};

/// A share of 0 is no dropout at all.
struct DropoutModule {
  double share = 0;
  int module = -1;  // the nn.Dropout that a step calls; -1: F.dropout does it
};

/// Declares an nn.Dropout(share). `made` false: a base class of PyTorch's constructs it.
DropoutModule declare_dropout(Graph& graph, std::string_view name, double share, bool made = true);

/// Applies it; the step is called like its output. x itself where the share is 0.
TensorId apply_dropout(Graph& graph, const DropoutModule& dropout, std::string_view part,
                       TensorId x, std::string_view output);

}  // namespace attnscope
