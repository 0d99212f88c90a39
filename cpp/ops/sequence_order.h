#pragma once

// The order of positions and sequences that recurrent layers work in: position by position.

#include "../graph/op.h"

namespace attnscope {

/// Swaps the first two dimensions: (B, T, ...) -> (T, B, ...), and back.
class SwapFirstTwo final : public SingleOp {
 public:
  /// `contiguous`: with memory of its own in PyTorch too, as a product makes it of what it is given
  /// transposed. Otherwise a view.
  SwapFirstTwo(const Shape& from, bool contiguous)
      : aliasing_(from[0] == 1 || from[1] == 1 ? Aliasing::kReshape
                  : contiguous                 ? Aliasing::kNone
                                               : Aliasing::kStrided) {}

  std::string_view name() const override { return "transpose"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return aliasing_; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Aliasing aliasing_;
};

/// Zeros of a shape, in the number format of the input: a state before the first position.
class Zeros final : public SingleOp {
 public:
  explicit Zeros(Shape shape) : shape_(std::move(shape)) {}

  std::string_view name() const override { return "zeros"; }
  Shape output_shape(const InputShapes&) const override { return shape_; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  bool is_constant() const override { return true; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Shape shape_;
};

}  // namespace attnscope
