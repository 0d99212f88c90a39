#pragma once

#include "../graph/op.h"

namespace attnscope {

/// (..., 1) -> (...): the last dimension, which must be 1, dropped. A view: no arithmetic, no
/// memory.
class Squeeze final : public SingleOp {
 public:
  std::string_view name() const override { return "squeeze"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kReshape; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
