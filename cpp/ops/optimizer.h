#pragma once

// What an optimizer does to each number of a parameter. Formulas and arguments are those of
// torch.optim, whose single-tensor code they follow operation by operation.

#include "../graph/op.h"

namespace attnscope {

/// What changes from step to step, in a tensor (kRates,) that every update reads.
enum Rate : size_t {
  kLearningRate,
  kStepSize,        // Adam: the learning rate / (1 - beta1^t)
  kRootCorrection,  // Adam: sqrt(1 - beta2^t)
  kKept,            // AdamW: 1 - learning rate * weight decay
  kIsFirst,         // 1 in the first step, else 0
};
inline constexpr size_t kRates = 5;

/// An update of its first input, number by number, given the numbers in the same place of the
/// others, and perhaps the rates, which are its last input.
class Update : public UnnamedOp {
 public:
  /// The new number. `x` has one number of each input but the rates.
  virtual double apply(const double* x, const double* rates) const = 0;
  /// Whether its last input are the rates.
  virtual bool has_rates() const { return false; }
  /// Whether it writes where its first input is; else it makes a new tensor.
  virtual bool in_place() const { return true; }

  Aliasing aliasing() const final { return in_place() ? Aliasing::kInPlace : Aliasing::kNone; }
  Shape output_shape(const InputShapes& inputs) const final;
  Array forward(const std::vector<const Array*>& inputs) const final;
};

/// a, b -> a + factor b: weight decay, Nesterov's momentum.
class AddScaled final : public Update {
 public:
  explicit AddScaled(double factor) : factor_(factor) {}
  double factor() const { return factor_; }
  std::string_view name() const override { return "add_scaled"; }
  bool in_place() const override { return false; }
  double apply(const double* x, const double*) const override { return x[0] + factor_ * x[1]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double factor_;
};

/// average, x -> average + (1 - beta) (x - average), in place.
class MovingAverage final : public Update {
 public:
  explicit MovingAverage(double beta) : beta_(beta) {}
  double beta() const { return beta_; }
  std::string_view name() const override { return "moving_average"; }
  double apply(const double* x, const double*) const override {
    return x[0] + (1 - beta_) * (x[1] - x[0]);
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double beta_;
};

/// average, x -> beta average + (1 - beta) x², in place.
class MovingSquare final : public Update {
 public:
  explicit MovingSquare(double beta) : beta_(beta) {}
  double beta() const { return beta_; }
  std::string_view name() const override { return "moving_square"; }
  double apply(const double* x, const double*) const override {
    return beta_ * x[0] + (1 - beta_) * x[1] * x[1];
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double beta_;
};

/// a, b -> the larger, in place: AMSGrad's second moment.
class Largest final : public Update {
 public:
  std::string_view name() const override { return "largest"; }
  double apply(const double* x, const double*) const override { return x[0] < x[1] ? x[1] : x[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
};

/// buffer, gradient, rates -> momentum buffer + (1 - dampening) gradient, in place; in the first
/// step the gradient itself.
class Momentum final : public Update {
 public:
  Momentum(double momentum, double dampening) : momentum_(momentum), dampening_(dampening) {}
  double momentum() const { return momentum_; }
  double dampening() const { return dampening_; }
  std::string_view name() const override { return "momentum"; }
  bool has_rates() const override { return true; }
  double apply(const double* x, const double* rates) const override {
    if (rates[kIsFirst] != 0) return x[1];
    return momentum_ * x[0] + (1 - dampening_) * x[1];
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double momentum_, dampening_;
};

/// gradient, mean of squares, and where centred the mean -> gradient / (sqrt(mean of squares -
/// mean²) + eps).
class RmsDirection final : public Update {
 public:
  RmsDirection(double eps, bool centred) : eps_(eps), centred_(centred) {}
  double eps() const { return eps_; }
  bool centred() const { return centred_; }
  std::string_view name() const override { return "rms_direction"; }
  bool in_place() const override { return false; }
  double apply(const double* x, const double*) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double eps_;
  bool centred_;
};

/// parameter, direction, rates -> parameter - learning rate * direction, in place.
class Descend final : public Update {
 public:
  std::string_view name() const override { return "descend"; }
  bool has_rates() const override { return true; }
  double apply(const double* x, const double* rates) const override {
    return x[0] - rates[kLearningRate] * x[1];
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
};

/// parameter, first moment, second moment, rates -> kept * parameter - step size * first /
/// (sqrt(second) / root correction + eps), in place. Kingma and Ba 2015,
/// https://arxiv.org/abs/1412.6980; Loshchilov and Hutter 2019, https://arxiv.org/abs/1711.05101.
class AdamStep final : public Update {
 public:
  explicit AdamStep(double eps) : eps_(eps) {}
  double eps() const { return eps_; }
  std::string_view name() const override { return "adam_step"; }
  bool has_rates() const override { return true; }
  double apply(const double* x, const double* rates) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;

 private:
  double eps_;
};

/// Tensors -> (1,): the root of the sum of all their squares.
class GlobalNorm final : public UnnamedOp {
 public:
  std::string_view name() const override { return "global_norm"; }
  Shape output_shape(const InputShapes&) const override { return {1}; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
};

/// x, norm (1,) -> x min(1, most / (norm + 1e-6)), in place: torch.nn.utils.clip_grad_norm_.
class ClipByNorm final : public UnnamedOp {
 public:
  explicit ClipByNorm(double most) : most_(most) {}

  double factor(double norm) const;

  std::string_view name() const override { return "clip_by_norm"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Aliasing aliasing() const override { return Aliasing::kInPlace; }
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  double most_;
};

}  // namespace attnscope
