#pragma once

#include "../graph/op.h"

namespace attnscope {

/// y = x / sqrt(divisor): the scaling of dot products by sqrt(head_dim), Vaswani et al. 2017.
class Scale final : public Op {
 public:
  explicit Scale(int64_t divisor) : divisor_(divisor) {}

  /// 1 / sqrt(divisor).
  double factor() const;

  std::string_view name() const override { return "scale"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int64_t divisor_;
};

}  // namespace attnscope
