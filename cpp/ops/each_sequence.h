#pragma once

#include "../graph/op.h"

namespace attnscope {

/// The same rows for each sequence: rows (N, F), x (B, ...) -> (B, N, F). Of x only the number of
/// its sequences counts. In PyTorch a view.
class EachSequence final : public SingleOp {
 public:
  std::string_view name() const override { return "each_sequence"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
