#pragma once

// Shapes of gradients: the same numbers under another shape, summed to a smaller one, spread over a
// larger one.

#include "../graph/op.h"

namespace attnscope {

/// The same numbers in the same order. A view: no arithmetic, no memory.
class Reshape final : public SingleOp {
 public:
  explicit Reshape(Shape shape) : shape_(std::move(shape)) {}

  std::string_view name() const override { return "reshape"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kReshape; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Shape shape_;
};

/// The sums of all numbers that Expand would make of one: x -> `shape`, which broadcasts to x.
class SumTo final : public SingleOp {
 public:
  explicit SumTo(Shape shape) : shape_(std::move(shape)) {}

  std::string_view name() const override { return "sum_to"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Shape shape_;
};

/// Spread over `shape`, to which x broadcasts. In PyTorch a view, here a copy.
class Expand final : public SingleOp {
 public:
  explicit Expand(Shape shape) : shape_(std::move(shape)) {}

  std::string_view name() const override { return "expand"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Shape shape_;
};

}  // namespace attnscope
