#pragma once

// Between features and heads: (B, T, H·D) and (B, H, T, D).

#include "../graph/op.h"

namespace attnscope {

/// (B, T, H·D) -> (B, H, T, D). In PyTorch a view with other strides: no arithmetic, no memory.
class SplitHeads final : public SingleOp {
 public:
  explicit SplitHeads(Dimension num_heads) : num_heads_(num_heads) {}

  std::string_view name() const override { return "split_heads"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Dimension num_heads_;
};

/// (B, H, T, D) -> (B, T, H·D), copied, because no stride reaches that order.
class MergeHeads final : public SingleOp {
 public:
  std::string_view name() const override { return "merge_heads"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// Each head `times` times, side by side: (B, G, S, D) -> (B, G·times, S, D), copied as PyTorch
/// does. Key and value heads that several query heads share.
class RepeatHeads final : public SingleOp {
 public:
  explicit RepeatHeads(int64_t times) : times_(times) {}

  std::string_view name() const override { return "repeat_heads"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int64_t times_;
};

/// The mean over heads: (B, H, T, S) -> (B, T, S).
class MeanHeads final : public SingleOp {
 public:
  std::string_view name() const override { return "mean_heads"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
