#pragma once

#include "../graph/op.h"

namespace attnscope {

/// The mean of a sequence under attention weights: weights (B, T), values (B, T, E) -> (B, E),
/// out[b, e] = Σ_t weights[b, t] values[b, t, e].
class WeightedSum final : public SingleOp {
 public:
  std::string_view name() const override { return "weighted_sum"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0, 1}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// The same without the sum: weights (B, T), values (B, T, E) -> (B, T, E).
class Weigh final : public SingleOp {
 public:
  std::string_view name() const override { return "weigh"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0, 1}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
