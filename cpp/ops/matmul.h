#pragma once

#include "../graph/op.h"
#include "band.h"

namespace attnscope {

/// Batched matrix product over the last two dimensions; all dimensions before them must be equal,
/// or b has none, and every batch shares it.
///
///   kPlain       a (..., M, K), b (..., K, N) -> (..., M, N)
///   kTransposed  a (..., M, K), b (..., N, K) -> (..., M, N): a bᵀ, as queries meet keys
class Matmul final : public SingleOp {
 public:
  enum class Right { kPlain, kTransposed };

  /// `band`: the scores that the layer needs, of all that are made; or the weights that are not 0:
  /// others are not multiplied, so that NaN or infinity reaches only the queries that see it.
  explicit Matmul(Right right, Band band = {}) : right_(right), band_(band) {}

  Right right() const { return right_; }
  const Band& band() const { return band_; }

  std::string_view name() const override { return "matmul"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0, 1}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Right right_;
  Band band_;
};

/// aᵀ b over the last two dimensions, the gradient by the right-hand side of a product:
/// a (..., M, K), b (..., M, N) -> (..., K, N), or the sum of all batches (K, N). All dimensions
/// before the last one must be equal.
class TransposedMatmul final : public SingleOp {
 public:
  enum class Batches { kApart, kSum };

  /// `band`: of a, which are scores or weights, those that the layer needs.
  explicit TransposedMatmul(Batches batches, Band band = {}) : batches_(batches), band_(band) {}

  Batches batches() const { return batches_; }

  std::string_view name() const override { return "matmul"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  Batches batches_;
  Band band_;
};

}  // namespace attnscope
