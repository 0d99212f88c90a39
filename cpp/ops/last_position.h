#pragma once

#include "../graph/op.h"

namespace attnscope {

/// The last position of each sequence that the mask leaves: x (B, T, E), with an optional mask
/// (B, T) -> (B, E); zeros where it leaves none. Of a float mask only what it hides (-inf) counts.
/// In PyTorch a view where there is no mask.
class LastPosition final : public SingleOp {
 public:
  std::string_view name() const override { return "last_position"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

/// Its gradient: dy (B, E), its mask -> (B, T, E), zeros but for the position that was taken.
class LastPositionGradient final : public UnnamedOp {
 public:
  explicit LastPositionGradient(Dimension positions) : positions_(positions) {}

  std::string_view name() const override { return "last_position_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Dimension positions_;
};

}  // namespace attnscope
