#pragma once

// Normalization over the last dimension.

#include "../graph/graph.h"

namespace attnscope {

/// y = (x - mean) / sqrt(variance + eps) * weight + bias, or where `plus_one` * (1 + weight).
/// Ba, Kiros and Hinton 2016, https://arxiv.org/abs/1607.06450.
class LayerNorm final : public SingleOp {
 public:
  explicit LayerNorm(double eps, bool plus_one = false) : eps_(eps), plus_one_(plus_one) {}

  double eps() const { return eps_; }
  /// What is added to each weight.
  double offset() const { return plus_one_ ? 1.0 : 0.0; }

  std::string_view name() const override { return "layer_norm"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  double eps_;
  bool plus_one_;
};

/// y = x / sqrt(mean of squares + eps) * weight, or where `plus_one` * (1 + weight).
/// Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467.
class RmsNorm final : public SingleOp {
 public:
  explicit RmsNorm(double eps, bool plus_one = false) : eps_(eps), plus_one_(plus_one) {}

  double eps() const { return eps_; }
  /// What is added to each weight.
  double offset() const { return plus_one_ ? 1.0 : 0.0; }

  std::string_view name() const override { return "rms_norm"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  double eps_;
  bool plus_one_;
};

/// How a norm makes x̂ of a row, which its weights then multiply.
struct Normalizer {
  bool centred;  // x̂ = (x - mean) / sqrt(variance + eps), or x / sqrt(mean of squares + eps)
  double eps;
  double offset = 0;  // what is added to each weight
};

/// The gradient of a norm by x: dy, x, weight -> dx. With g = dy (weight + offset) and one over the
/// root r, dx = r (g - mean(g) - x̂ mean(g x̂)), without mean(g) where x̂ is not centred.
class NormGradient final : public UnnamedOp {
 public:
  explicit NormGradient(const Normalizer& norm) : norm_(norm) {}

  const Normalizer& norm() const { return norm_; }

  std::string_view name() const override { return "norm_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[1]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Normalizer norm_;
};

/// The gradient of a norm by its weights: dy, x -> (features,), the sum over rows of dy x̂.
class NormWeightGradient final : public UnnamedOp {
 public:
  explicit NormWeightGradient(const Normalizer& norm) : norm_(norm) {}

  const Normalizer& norm() const { return norm_; }

  std::string_view name() const override { return "norm_weight_backward"; }
  Shape output_shape(const InputShapes& inputs) const override { return {inputs[1]->back()}; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Normalizer norm_;
};

/// A declared nn.LayerNorm(features) or nn.RMSNorm(features).
struct NormModule {
  int module;
  std::shared_ptr<const Op> op;
  Weight weight;  // (features,), ones; zeros where one is added to them
  Weight bias{};  // (features,), zeros; or none
};

/// `made` false: a base class or an outer module of PyTorch's constructs it. `plus_one`: its
/// weights are stored less one, as Nemotron's are.
NormModule declare_layer_norm(Parameters& parameters, std::string_view name, Dimension features,
                              double eps, bool bias = true, bool made = true,
                              bool plus_one = false);
/// `plus_one`: its weights are stored less one, as Gemma's are.
NormModule declare_rms_norm(Parameters& parameters, std::string_view name, Dimension features,
                            double eps, bool plus_one = false);

/// Applies it to the last dimension of x. The step is called like the module.
TensorId apply_norm(Graph& graph, const NormModule& norm, TensorId x, std::string_view output);

}  // namespace attnscope
