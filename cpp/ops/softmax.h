#pragma once

#include "../graph/op.h"
#include "band.h"

namespace attnscope {

/// What a mask has a number for: each score, so that it broadcasts to them without the band's tail;
/// or each key of a sequence (B, S), the same for all heads and queries.
enum class MaskOf { kScores, kKeys };

/// Where in a mask of shape `mask` the row starts that is added to row `row` of `scores`.
int64_t mask_row(MaskOf of, const Shape& mask, const Shape& scores, int64_t row);

/// Softmax over the last dimension, of scores within a band plus an optional mask.
///
/// Inputs: scores (..., S); mask, added to the scores, -inf where a position is hidden. A row whose
/// every position is hidden gets zeros, as F.scaled_dot_product_attention gives it since
/// PyTorch 2.5, where the bare formula would give NaN.
class Softmax final : public SingleOp {
 public:
  explicit Softmax(Band band = {}, MaskOf mask_of = MaskOf::kScores)
      : band_(band), mask_of_(mask_of) {}

  const Band& band() const { return band_; }
  MaskOf mask_of() const { return mask_of_; }

  std::string_view name() const override { return "softmax"; }
  OpPtr masking() const override;
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  Band band_;
  MaskOf mask_of_;
};

/// What a softmax takes the exponentials of: its scores, with the mask added and -inf where the
/// band hides them. No layer has it as a step of its own: PyTorch's code for a softmax makes it
/// inside.
class MaskedScores final : public UnnamedOp {
 public:
  explicit MaskedScores(Band band = {}, MaskOf mask_of = MaskOf::kScores)
      : band_(band), mask_of_(mask_of) {}

  const Band& band() const { return band_; }
  MaskOf mask_of() const { return mask_of_; }

  std::string_view name() const override { return "masked_scores"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Band band_;
  MaskOf mask_of_;
};

/// The gradient of a softmax by its scores: y, dy (..., S) -> y (dy - Σ y dy). Hidden scores, whose
/// y is 0, get 0.
class SoftmaxGradient final : public UnnamedOp {
 public:
  std::string_view name() const override { return "softmax_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
};

}  // namespace attnscope
