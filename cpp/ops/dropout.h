#pragma once

#include "../graph/gradients.h"

namespace attnscope {

/// Identity in inference. In training the product with noise: 0 for a share of the numbers, and for
/// the others 1 / (1 - share), so that sums stay about as they were. PyTorch's CPU code keeps the
/// noise in the layer's number format. Srivastava et al. 2014.
class Dropout final : public SingleOp {
 public:
  explicit Dropout(double share, bool training = false) : share_(share), training_(training) {}

  double share() const { return share_; }
  bool training() const { return training_; }

  std::string_view name() const override { return "dropout"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape& output) const override {
    return {.elements = training_ ? 0 : elements(output)};  // else the noise is an input
  }
  Aliasing aliasing() const override {
    return training_ ? Aliasing::kNone : Aliasing::kUnlessTraining;
  }
  OpPtr in_training() const override { return make_op<Dropout>(share_, true); }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double share_;
  bool training_;
};

/// A share of 0 is no dropout at all.
struct DropoutModule {
  double share = 0;
  int module = -1;  // the nn.Dropout that a step calls; -1: F.dropout does it
};

/// Declares an nn.Dropout(share). `made` false: a base class of PyTorch's constructs it.
DropoutModule declare_dropout(Parameters& parameters, std::string_view name, double share,
                              bool made = true);

/// Applies it; the step is called like its output. x itself where the share is 0.
TensorId apply_dropout(Graph& graph, const DropoutModule& dropout, std::string_view part,
                       TensorId x, std::string_view output);

}  // namespace attnscope
