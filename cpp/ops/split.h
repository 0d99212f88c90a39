#pragma once

// A tensor in parts.

#include "../graph/op.h"

namespace attnscope {

/// The parts of these sizes, one after another along a dimension, which they fill. In PyTorch
/// views: what keeps one for the backward pass keeps all of what is split.
class Split final : public Op {
 public:
  static constexpr int kLast = -1;  // dimension

  Split(int dimension, std::vector<int64_t> sizes)
      : dimension_(dimension), sizes_(std::move(sizes)) {}

  /// Of a tensor of so many dimensions.
  size_t dimension(size_t rank) const {
    return dimension_ == kLast ? rank - 1 : static_cast<size_t>(dimension_);
  }

  std::string_view name() const override { return "split"; }
  size_t outputs() const override { return sizes_.size(); }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Alias alias(size_t) const override { return {Aliasing::kStrided}; }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
  std::vector<int64_t> sizes_;
};

}  // namespace attnscope
