#pragma once

#include <string>

#include "../graph/gradients.h"

namespace attnscope {

/// An operation that makes each number from the number in its place: y = f(x), of any shape. A new
/// one says its function, what it costs and saves, and its text; with a loop that is registered as
/// its kernel (run/lowering.h), it may stand after a product, between queries and keys and their
/// mask, and in a scorer, and is done there while the numbers are in the cache.
class Elementwise : public SingleOp {
 public:
  /// f(x) in double precision.
  virtual double apply(double x) const = 0;

  /// What its gradient is computed from: x, or where that is simpler f(x).
  virtual bool derives_from_output() const { return false; }
  /// f'(x), given x or f(x), as derives_from_output() says. Scale has no use for it.
  virtual double derivative(double x_or_y) const = 0;

  Shape output_shape(const InputShapes& inputs) const final { return *inputs[0]; }
  Array forward(const std::vector<const Array*>& inputs) const final {
    Array y = *inputs[0];
    for (double& value : y) value = apply(value);
    return y;
  }
  void gradients(GradientBuilder& step) const override;
};

/// The gradient of an element-wise operation: dy, x or y -> dy f'(x).
class ElementwiseGradient final : public UnnamedOp {
 public:
  explicit ElementwiseGradient(OpPtr of) : of_(std::move(of)), name_(of_->name()) {
    name_ += "_backward";
  }

  const Elementwise& of() const { return static_cast<const Elementwise&>(*of_); }

  std::string_view name() const override { return name_; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  OpPtr of_;
  std::string name_;
};

}  // namespace attnscope
