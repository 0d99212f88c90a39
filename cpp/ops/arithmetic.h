#pragma once

// Sums and products, element by element.

#include "elementwise.h"

namespace attnscope {

/// y = a + b. b broadcasts to a: its dimensions are a's last ones, or 1.
class Add final : public SingleOp {
 public:
  std::string_view name() const override { return "add"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// y = a b. b broadcasts to a: its dimensions are a's last ones, or 1.
class Multiply final : public SingleOp {
 public:
  std::string_view name() const override { return "multiply"; }
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

/// y = factor x.
class Scale final : public Elementwise {
 public:
  explicit Scale(double factor) : factor_(factor) {}

  /// 1 / sqrt(divisor), as dot products are scaled by sqrt(head_dim) in Vaswani et al. 2017.
  static Scale by_root_of(int64_t divisor);

  double factor() const { return factor_; }

  std::string_view name() const override { return "scale"; }
  double apply(double x) const override { return factor_ * x; }
  double derivative(double) const override { return factor_; }
  void gradients(GradientBuilder& step) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double factor_;
  int64_t divisor_ = 0;  // printed instead of the factor, where there is one
};

}  // namespace attnscope
