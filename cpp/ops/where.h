#pragma once

// Rows that a mask hides. A mask has the dimensions of what it hides rows of, the last one 1, or
// broadcasts to that; of a float mask only what it hides (-inf) counts.

#include "../graph/op.h"

namespace attnscope {

/// x and other (..., E), optional mask (..., 1) -> x, and other where the mask hides a row. In
/// PyTorch x itself where there is no mask.
class WhereVisible final : public SingleOp {
 public:
  std::string_view name() const override { return "where"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  /// torch.where keeps its condition.
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

/// x (..., E), optional mask (..., 1) -> x with zeros in the rows that the mask hides, or in those
/// that it shows, which without a mask are all. In PyTorch x itself where no mask hides anything.
class ZeroRows final : public SingleOp {
 public:
  enum class Rows { kHidden, kVisible };

  explicit ZeroRows(Rows zeros) : zeros_(zeros) {}
  Rows zeros() const { return zeros_; }

  std::string_view name() const override {
    return zeros_ == Rows::kHidden ? "zero_hidden" : "zero_visible";
  }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  /// masked_fill keeps its mask.
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Aliasing aliasing() const override {
    return zeros_ == Rows::kHidden ? Aliasing::kStrided : Aliasing::kNone;
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  Rows zeros_;
};

/// The shape of a whole mask: one number for each row of x.
Shape rows_of(Shape x);

}  // namespace attnscope
