#pragma once

#include "../graph/op.h"

namespace attnscope {

/// y = tanh(x), any shape.
class Tanh final : public Op {
 public:
  std::string_view name() const override { return "tanh"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward() const override { return {{}, true}; }  // dx = (1 - y²) dy
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
