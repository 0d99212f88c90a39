#pragma once

#include "../graph/op.h"

namespace attnscope {

/// All positions of each sequence side by side: x (B, T, E), with an optional mask (B, T) ->
/// (B, T·E), zeros where the mask hides a position. Of a float mask only what it hides (-inf)
/// counts. In PyTorch a view where there is no mask.
class Flatten final : public SingleOp {
 public:
  std::string_view name() const override { return "flatten"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

/// Its gradient: dy (B, T·E), its mask -> (B, T, E).
class FlattenGradient final : public UnnamedOp {
 public:
  explicit FlattenGradient(Shape sequences) : sequences_(std::move(sequences)) {}

  std::string_view name() const override { return "flatten_backward"; }
  Shape output_shape(const InputShapes&) const override { return sequences_; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Shape sequences_;  // (B, T, E)
};

}  // namespace attnscope
