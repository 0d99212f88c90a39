#pragma once

// Slices: tensors put together along a dimension of their own, and taken apart along one.

#include "../graph/op.h"

namespace attnscope {

/// Tensors of one shape as the slices of another, which has one dimension more: its `dimension`-th,
/// which goes over `axis`.
class Stack final : public SingleOp {
 public:
  Stack(int dimension, Axis axis) : dimension_(dimension), axis_(axis) {}

  int dimension() const { return dimension_; }

  std::string_view name() const override { return "stack"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
  Axis axis_;
};

/// All slices along a dimension, of which there are so many, in their order. In PyTorch views: what
/// keeps one for the backward pass keeps all of what is taken apart.
class Unbind final : public Op {
 public:
  Unbind(int dimension, int64_t slices) : dimension_(dimension), slices_(slices) {}

  int dimension() const { return dimension_; }

  std::string_view name() const override { return "unbind"; }
  size_t outputs() const override { return static_cast<size_t>(slices_); }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Alias alias(size_t) const override { return {Aliasing::kStrided}; }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
  int64_t slices_;
};

}  // namespace attnscope
