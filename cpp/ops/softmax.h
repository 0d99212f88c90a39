#pragma once

#include "../graph/op.h"

namespace attnscope {

/// Softmax over the last dimension, of scores plus an optional mask.
///
/// Inputs: scores (..., S); mask, added to the scores, -inf where a position is hidden. The mask's
/// shape is the scores' or its last dimensions: it then holds for every index of the ones before.
/// A row whose every position is hidden gets zeros, as F.scaled_dot_product_attention gives it
/// since PyTorch 2.5, where the bare formula would give NaN.
class Softmax final : public Op {
 public:
  std::string_view name() const override { return "softmax"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward() const override { return {{}, true}; }  // dx = y (dy - Σ y dy)
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::string_view pytorch_helper() const override;
};

}  // namespace attnscope
