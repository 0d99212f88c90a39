#pragma once

// Every query with every key, as additive attention compares them. The result has T·S rows.

#include "../graph/op.h"

namespace attnscope {

/// query (B, T, A), key (B, S, A) -> (B, T, S, A): their sums.
class PairSum final : public SingleOp {
 public:
  std::string_view name() const override { return "pair_sum"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// query (B, T, E), key (B, S, K) -> (B, T, S, E + K): one after the other.
class PairConcat final : public SingleOp {
 public:
  std::string_view name() const override { return "pair_concat"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;
};

}  // namespace attnscope
