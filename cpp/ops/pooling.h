#pragma once

// A sequence as one vector, without attention: x (B, T, E) -> (B, E), with an optional mask (B, T).

#include "../graph/op.h"

namespace attnscope {

/// The mean over the positions that the mask leaves; zeros where it leaves none. A float mask
/// weighs the positions as if it were added to equal scores.
class MeanPool final : public SingleOp {
 public:
  std::string_view name() const override { return "mean_pool"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

/// The maximum over the positions that the mask leaves; zeros where it leaves none. Of a float mask
/// only what it hides (-inf) counts.
class MaxPool final : public SingleOp {
 public:
  std::string_view name() const override { return "max_pool"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0}, .outputs = {0}};  // where x equals its maximum
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

/// The gradient of MeanPool: dy (B, E), its mask -> (B, T, E), each position's share of dy.
class MeanPoolGradient final : public UnnamedOp {
 public:
  explicit MeanPoolGradient(Dimension positions) : positions_(positions) {}

  std::string_view name() const override { return "mean_pool_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Dimension positions_;
};

/// The gradient of MaxPool: dy (B, E), x (B, T, E), y (B, E), its mask -> (B, T, E). Positions that
/// share a maximum share its gradient, as those of torch.amax do.
class MaxPoolGradient final : public UnnamedOp {
 public:
  std::string_view name() const override { return "max_pool_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[1]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
};

}  // namespace attnscope
