#pragma once

#include <string_view>

#include "elementwise.h"

namespace attnscope {

/// y = f(x), element by element, any shape.
///
///   relu       max(x, 0)
///   sigmoid    1 / (1 + exp(-x))
///   gelu       x Φ(x), Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415
///   gelu_tanh  its approximation by tanh, section 2 there
///   silu       x sigmoid(x)
class Activation final : public Elementwise {
 public:
  enum class Kind { kTanh, kRelu, kSigmoid, kGelu, kGeluTanh, kSilu };

  explicit Activation(Kind kind) : kind_(kind) {}

  Kind kind() const { return kind_; }

  std::string_view name() const override;
  double apply(double x) const override;
  bool derives_from_output() const override;
  double derivative(double x_or_y) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Kind kind_;
};

/// The op of this name, one of those above or "tanh"; std::logic_error for another.
std::shared_ptr<const Activation> activation_named(std::string_view name);
}  // namespace attnscope
