#pragma once

// What training makes small: one number for a batch. Each loss has its gradient beside it, an
// operation of its own.

#include <algorithm>

#include "../graph/op.h"

namespace attnscope {

/// How the losses of single numbers or rows become one.
enum class Reduction { kMean, kSum };

/// log(softmax(x)) over the last dimension.
class LogSoftmax final : public SingleOp {
 public:
  std::string_view name() const override { return "log_softmax"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.outputs = {0}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// y = log_softmax(x), dy -> dx = dy - exp(y) Σ dy.
class LogSoftmaxGradient final : public UnnamedOp {
 public:
  std::string_view name() const override { return "log_softmax_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
};

/// How much the log-probability of each class counts in a row's cross-entropy. The target of a row
/// is a class index, or a probability for each class. With a share ε of label smoothing, 1 - ε of
/// the target remains and ε is spread over all C classes. The mean is over the rows; where classes
/// are indices, each row counts as the weight of its class does, and ignored rows do not count.
/// As PyTorch's F.cross_entropy, of log-probabilities.
struct CrossEntropyRule {
  enum class Target { kIndices, kProbabilities };

  Target target = Target::kIndices;
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;  // of class indices: rows that do not count
  double label_smoothing = 0;

  /// Coefficients (classes,) by which a row's log-probabilities are multiplied for its loss, before
  /// rows are reduced: all of them at most 0. `weight` (classes,) or nullptr. T is double or float.
  template <class T>
  void row(const T* target_row, const T* weight, int64_t classes, T* coefficients) const {
    const double spread = label_smoothing / static_cast<double>(classes);
    const bool probabilities = target == Target::kProbabilities;
    const auto label = probabilities ? -1 : static_cast<int64_t>(*target_row);
    const bool counts = probabilities || label != ignore_index;
    if (!probabilities && label_smoothing == 0) {
      std::fill_n(coefficients, classes, T{0});
      if (counts) coefficients[label] = weight ? -weight[label] : T{-1};
      return;
    }
    for (int64_t c = 0; c < classes; ++c) {
      const double hit = probabilities ? static_cast<double>(target_row[c])
                         : c == label  ? 1.0
                                       : 0.0;
      const double share = counts ? hit * (1.0 - label_smoothing) + spread : 0.0;
      coefficients[c] = static_cast<T>(-share * (weight ? static_cast<double>(weight[c]) : 1.0));
    }
  }

  /// The gradient of each row's sum, given the gradient of the loss. Zero where no row counts, as
  /// in PyTorch, though the loss is NaN there.
  template <class T>
  double gradient_of_row(double gradient, const T* targets, const T* weight, int64_t rows) const {
    const double by = divisor(targets, weight, rows);
    return by == 0 ? 0.0 : gradient / by;
  }

  /// By how much the sum over `rows` rows is divided.
  template <class T>
  double divisor(const T* targets, const T* weight, int64_t rows) const {
    if (reduction == Reduction::kSum) return 1.0;
    if (target == Target::kProbabilities) return static_cast<double>(rows);
    double sum = 0.0;
    for (int64_t i = 0; i < rows; ++i) {
      const auto label = static_cast<int64_t>(targets[i]);
      if (label != ignore_index) sum += weight ? static_cast<double>(weight[label]) : 1.0;
    }
    return sum;
  }
};

/// log-probabilities (..., C), target (...) or (..., C), weight (C,) or none -> (1,).
class CrossEntropy final : public SingleOp {
 public:
  explicit CrossEntropy(const CrossEntropyRule& rule) : rule_(rule) {}

  const CrossEntropyRule& rule() const { return rule_; }

  std::string_view name() const override { return "cross_entropy"; }
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
  CrossEntropyRule rule_;
};

/// The gradient by the log-probabilities: that by the loss (1,), log-probabilities, target, weight.
class CrossEntropyGradient final : public UnnamedOp {
 public:
  explicit CrossEntropyGradient(const CrossEntropyRule& rule) : rule_(rule) {}

  const CrossEntropyRule& rule() const { return rule_; }

  std::string_view name() const override { return "cross_entropy_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[1]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  CrossEntropyRule rule_;
};

/// The loss of each number x, given its target t of the same shape.
///
///   squared         (x - t)²
///   binary_entropy  -t log σ(x) - (1 - t) log(1 - σ(x)), computed as
///                   max(x, 0) - x t + log(1 + e^-|x|): PyTorch's binary_cross_entropy_with_logits
struct PointwiseRule {
  enum class Kind { kSquared, kBinaryEntropy };

  Kind kind = Kind::kSquared;
  Reduction reduction = Reduction::kMean;

  double loss(double x, double target) const;
  double derivative(double x, double target) const;  // by x
  double divisor(Count numbers) const {
    return reduction == Reduction::kMean ? static_cast<double>(numbers) : 1.0;
  }
};

/// x, target of the same shape -> (1,).
class PointwiseLoss final : public SingleOp {
 public:
  explicit PointwiseLoss(const PointwiseRule& rule) : rule_(rule) {}

  const PointwiseRule& rule() const { return rule_; }

  std::string_view name() const override;
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
  PointwiseRule rule_;
};

/// The gradient by x: that by the loss (1,), x, target.
class PointwiseLossGradient final : public UnnamedOp {
 public:
  explicit PointwiseLossGradient(const PointwiseRule& rule) : rule_(rule) {}

  const PointwiseRule& rule() const { return rule_; }

  std::string_view name() const override { return "loss_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[1]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  PointwiseRule rule_;
};

/// A number, in a tensor (1,): the gradient of a loss by itself.
class Constant final : public UnnamedOp {
 public:
  explicit Constant(double value) : value_(value) {}

  double value() const { return value_; }

  std::string_view name() const override { return "constant"; }
  Shape output_shape(const InputShapes&) const override { return {1}; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  bool is_constant() const override { return true; }
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  double value_;
};

}  // namespace attnscope
