#pragma once

// Normalization over the last dimension.

#include "../graph/graph.h"

namespace attnscope {

/// y = (x - mean) / sqrt(variance + eps) * weight + bias.
/// Ba, Kiros and Hinton 2016, https://arxiv.org/abs/1607.06450.
class LayerNorm final : public Op {
 public:
  explicit LayerNorm(double eps) : eps_(eps) {}

  double eps() const { return eps_; }

  std::string_view name() const override { return "layer_norm"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double eps_;
};

/// y = x / sqrt(mean of squares + eps) * weight.
/// Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467.
class RmsNorm final : public Op {
 public:
  explicit RmsNorm(double eps) : eps_(eps) {}

  double eps() const { return eps_; }

  std::string_view name() const override { return "rms_norm"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  double eps_;
};

/// A declared nn.LayerNorm(features) or nn.RMSNorm(features).
struct NormModule {
  int module;
  std::shared_ptr<const Op> op;
  TensorId weight;            // (features,), ones
  TensorId bias = kNoTensor;  // (features,), zeros
};

/// `made` false: a base class or an outer module of PyTorch's constructs it.
NormModule declare_layer_norm(Graph& graph, Text name, int64_t features, double eps,
                              bool bias = true, bool made = true);
NormModule declare_rms_norm(Graph& graph, Text name, int64_t features, double eps);

/// Applies it to the last dimension of x. The step is called like the module.
TensorId apply_norm(Graph& graph, const NormModule& norm, TensorId x, Text output);

}  // namespace attnscope
