#pragma once

// Tensors put together and taken apart.

#include "../graph/op.h"

namespace attnscope {

/// "(a, b)": tensors as torch.cat and torch.stack take them.
std::string tuple_of(const std::vector<std::string>& tensors);

/// Tensors after each other along one dimension; the others are equal.
class Concat final : public SingleOp {
 public:
  explicit Concat(int dimension) : dimension_(dimension) {}

  int dimension() const { return dimension_; }

  std::string_view name() const override { return "concat"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
};

/// Indices [begin, end) of a dimension. In PyTorch a view, unless it is `copied`: what keeps a view
/// for the backward pass keeps all of what it views.
class Slice final : public SingleOp {
 public:
  static constexpr int kLast = -1;  // dimension

  Slice(int dimension, int64_t begin, int64_t end, bool copied = false)
      : dimension_(dimension), begin_(begin), end_(end), copied_(copied) {}

  /// Of a tensor of so many dimensions.
  size_t dimension(size_t rank) const {
    return dimension_ == kLast ? rank - 1 : static_cast<size_t>(dimension_);
  }
  int64_t begin() const { return begin_; }

  std::string_view name() const override { return "slice"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return copied_ ? Aliasing::kNone : Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
  int64_t begin_, end_;
  bool copied_;
};

/// Zeros around a tensor, along one dimension: `before` indices of them, and `after`.
class Pad final : public SingleOp {
 public:
  Pad(int dimension, int64_t before, int64_t after)
      : dimension_(dimension), before_(before), after_(after) {}

  int dimension() const { return dimension_; }
  int64_t before() const { return before_; }

  std::string_view name() const override { return "pad"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  int dimension_;
  int64_t before_, after_;
};

/// The first position of each sequence: (B, T, E) -> (B, E). In PyTorch a view.
class FirstPosition final : public SingleOp {
 public:
  std::string_view name() const override { return "first_position"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kStrided; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// The same further position for each sequence: x (B, S, E), row (1, 1, E) -> (B, S + 1, E).
class AppendRow final : public SingleOp {
 public:
  std::string_view name() const override { return "append_row"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// A further position of zeros: (B, H, S, D) -> (B, H, S + 1, D).
class AppendZeros final : public SingleOp {
 public:
  std::string_view name() const override { return "append_zeros"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
