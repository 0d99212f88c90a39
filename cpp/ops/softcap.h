#pragma once

#include "elementwise.h"

namespace attnscope {

/// y = cap tanh(x / cap): x where it is small, and never past ±cap. Gemma Team 2024,
/// https://arxiv.org/abs/2408.00118, section 2.
class Softcap final : public Elementwise {
 public:
  explicit Softcap(double cap) : cap_(cap) {}

  double cap() const { return cap_; }

  std::string_view name() const override { return "softcap"; }
  double apply(double x) const override;
  bool derives_from_output() const override { return true; }
  double derivative(double y) const override { return 1.0 - y / cap_ * (y / cap_); }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double cap_;
};

}  // namespace attnscope
