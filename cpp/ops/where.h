#pragma once

// Rows that a mask hides: what a packed sequence of PyTorch's leaves out. Of a float mask only what
// it hides (-inf) counts.

#include "../graph/op.h"

namespace attnscope {

/// Which numbers of a mask belong to the rows of x: all, to x (B, T, E) a mask (B, T); or those of
/// one position, to x (B, E) the same mask. Masks may be of any shape that broadcasts to that.
class RowMask {
 public:
  static constexpr int64_t kAll = -1, kSlice = -2;  // kSlice: the position that an iteration takes

  explicit RowMask(int64_t position = kAll) : position_(position) {}

  int64_t position() const { return position_; }

  /// The rows of x, as index() takes them.
  Shape rows(Shape x) const;
  void check(std::string_view op, const Shape& x, const Shape& mask) const;
  /// Where in a mask the number of a row stands.
  int64_t index(const Shape& mask, const Shape& rows, int64_t row) const;

 private:
  int64_t position_;
};

/// x, other (B, E), mask (B, T), optional -> x, and other where the mask hides a row. Printed code
/// has it only within calls of PyTorch's that do it themselves.
class WhereVisible final : public SingleOp {
 public:
  explicit WhereVisible(RowMask mask) : mask_(mask) {}
  RowMask mask() const { return mask_; }

  std::string_view name() const override { return "where"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kInPlace; }
  std::shared_ptr<const Op> at_slice(int64_t slice) const override;
  std::shared_ptr<const Op> unmasked() const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  RowMask mask_;
};

/// x (..., E), mask, optional -> x with zeros in the rows that the mask hides, or in those that it
/// shows, which without a mask are all. Printed code has it only within such calls, too.
class ZeroRows final : public SingleOp {
 public:
  enum class Rows { kHidden, kVisible };

  explicit ZeroRows(Rows zeros, RowMask mask = RowMask()) : zeros_(zeros), mask_(mask) {}
  Rows zeros() const { return zeros_; }
  RowMask mask() const { return mask_; }

  std::string_view name() const override {
    return zeros_ == Rows::kHidden ? "zero_hidden" : "zero_visible";
  }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kInPlace; }
  std::shared_ptr<const Op> unmasked() const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Rows zeros_;
  RowMask mask_;
};

/// x -> x: either of them where no mask is given, under the same name.
class AllVisible final : public SingleOp {
 public:
  explicit AllVisible(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kReshape; }
  bool is_identity() const override { return true; }
  Array forward(const std::vector<const Array*>& inputs) const override { return *inputs[0]; }
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  std::string_view name_;
};

}  // namespace attnscope
