#pragma once

// A sequence as one vector, without attention: x (B, T, E) -> (B, E), with an optional mask (B, T).

#include "../graph/op.h"

namespace attnscope {

/// The mean over the positions that the mask leaves; zeros where it leaves none. A float mask
/// weighs the positions as if it were added to equal scores.
class MeanPool final : public Op {
 public:
  std::string_view name() const override { return "mean_pool"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::string_view pytorch_helper() const override;
};

/// The maximum over the positions that the mask leaves; zeros where it leaves none. Of a float mask
/// only what it hides (-inf) counts.
class MaxPool final : public Op {
 public:
  std::string_view name() const override { return "max_pool"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0}, .output = true};  // where x equals its maximum
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::string_view pytorch_helper() const override;
};

}  // namespace attnscope
