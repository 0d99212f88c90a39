#include "norm.h"

#include <cmath>

#include "../graph/gradients.h"
#include "../graph/number.h"
#include "reshape.h"

namespace attnscope {
namespace {

Count rows(const Shape& shape) { return elements(shape) / shape.back(); }

/// x̂ of a row; returns one over the root.
double normalize(const Normalizer& norm, const double* x, size_t length, double* normal) {
  const double count = static_cast<double>(length);
  double mean = 0.0, squares = 0.0;
  for (size_t i = 0; norm.centred && i < length; ++i) mean += x[i] / count;
  for (size_t i = 0; i < length; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double scale = 1.0 / std::sqrt(squares / count + norm.eps);
  for (size_t i = 0; i < length; ++i) normal[i] = (x[i] - mean) * scale;
  return scale;
}

/// Of a norm with x, weight and perhaps a bias.
void norm_gradients(GradientBuilder& step, const Normalizer& norm) {
  const TensorId dy = step.gradient(), x = step.input(0);
  if (step.needs(0)) step.give(0, step.add<NormGradient>({dy, x, step.input(1)}, norm));
  if (step.needs(1)) step.give(1, step.add<NormWeightGradient>({dy, x}, norm));
  if (step.needs(2)) step.give(2, step.add<SumTo>({dy}, step.shape(step.input(2))));
}

}  // namespace

Cost LayerNorm::cost(const InputShapes& inputs, const Shape& output) const {
  // Six an element: add for the mean, subtract it, square and add for the variance, multiply by one
  // over its root, weight; seven with a bias; and one a weight to which one is added.
  const Count each = elements(output), added = plus_one_ ? output.back().size : 0;
  return {{Operation::kAddition, sum(product({inputs.size() > 2 ? 4 : 3, each}), added)},
          {Operation::kMultiplication, product({3, each})},
          {Operation::kRoot, rows(output)}};
}

Saved LayerNorm::saved_for_backward(const InputShapes&, const Shape& output) const {
  // Each row's mean and deviation; and what the weights are with one added.
  return {.inputs = {0},
          .elements = sum(product({2, rows(output)}), plus_one_ ? output.back().size : 0)};
}

Array LayerNorm::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const double* weight = inputs[1]->data();
  const double* bias = inputs.size() > 2 ? inputs[2]->data() : nullptr;
  const size_t length = y.shape().back();
  for (size_t start = 0; start < y.size(); start += length) {
    double* row = y.data() + start;
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < length; ++i) sum += row[i];
    const double mean = sum / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i) squares += (row[i] - mean) * (row[i] - mean);
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(length) + eps_);
    for (size_t i = 0; i < length; ++i) {
      row[i] = (row[i] - mean) * scale * (offset() + weight[i]) + (bias ? bias[i] : 0.0);
    }
  }
  return y;
}

void LayerNorm::gradients(GradientBuilder& step) const {
  norm_gradients(step, {.centred = true, .eps = eps_, .offset = offset()});
}

std::string LayerNorm::pytorch(const std::vector<std::string>& inputs,
                               std::string_view module) const {
  return format("{}({})", {module, inputs[0]});
}

std::vector<std::string> LayerNorm::pytorch_helpers(const InputShapes&) const {
  if (!plus_one_) return {};
  return {R"(class LayerNormPlusOne(nn.LayerNorm):
    """Multiplies by 1 + weight."""

    def reset_parameters(self):
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, 1 + self.weight, self.bias, self.eps)
)"};
}

Cost RmsNorm::cost(const InputShapes&, const Shape& output) const {
  // Four an element: square, add, multiply by one over the root, weight; and one a weight to which
  // one is added.
  const Count each = elements(output);
  return {{Operation::kAddition, sum(each, plus_one_ ? output.back().size : 0)},
          {Operation::kMultiplication, product({3, each})},
          {Operation::kRoot, rows(output)}};
}

Saved RmsNorm::saved_for_backward(const InputShapes&, const Shape& output) const {
  // PyTorch's CPU code computes it in float32, step by step, and keeps x, the factor of each row
  // and their product; and what the weights are with one added.
  constexpr Count kFloat32Bytes = 4;
  return {.inputs = {0},
          .elements = plus_one_ ? output.back().size : 0,
          .bytes = product({kFloat32Bytes, sum(elements(output), rows(output))}),
          .float32_copies = true};
}

Array RmsNorm::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const double* weight = inputs[1]->data();
  const size_t length = y.shape().back();
  for (size_t start = 0; start < y.size(); start += length) {
    double* row = y.data() + start;
    double squares = 0.0;
    for (size_t i = 0; i < length; ++i) squares += row[i] * row[i];
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(length) + eps_);
    for (size_t i = 0; i < length; ++i) row[i] *= scale * (offset() + weight[i]);
  }
  return y;
}

void RmsNorm::gradients(GradientBuilder& step) const {
  norm_gradients(step, {.centred = false, .eps = eps_, .offset = offset()});
}

std::string RmsNorm::pytorch(const std::vector<std::string>& inputs,
                             std::string_view module) const {
  return format("{}({})", {module, inputs[0]});
}

std::vector<std::string> RmsNorm::pytorch_helpers(const InputShapes&) const {
  if (!plus_one_) return {};
  return {R"(class RMSNormPlusOne(nn.RMSNorm):
    """Multiplies by 1 + weight."""

    def reset_parameters(self):
        nn.init.zeros_(self.weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, 1 + self.weight, self.eps)
)"};
}

Cost NormGradient::cost(const InputShapes&, const Shape& output) const {
  // x̂ again (three an element, two where it is not centred), g, its sum and that of g x̂, and both
  // taken away.
  const Count each = elements(output);
  return {{Operation::kAddition, product({norm_.centred ? 6 : 3, each})},
          {Operation::kMultiplication, product({6, each})},
          {Operation::kRoot, rows(output)}};
}

Array NormGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &dy = *inputs[0], &x = *inputs[1], &weight = *inputs[2];
  const size_t length = x.shape().back();
  const double count = static_cast<double>(length);
  Array dx = make_array({x.shape().begin(), x.shape().end()});
  std::vector<double> normal(length), g(length);
  for (size_t start = 0; start < x.size(); start += length) {
    const double scale = normalize(norm_, x.data() + start, length, normal.data());
    double sum = 0.0, along = 0.0;
    for (size_t i = 0; i < length; ++i) {
      g[i] = dy.data()[start + i] * (weight.data()[i] + norm_.offset);
      sum += g[i];
      along += g[i] * normal[i];
    }
    if (!norm_.centred) sum = 0.0;
    for (size_t i = 0; i < length; ++i) {
      dx.data()[start + i] = scale * (g[i] - sum / count - normal[i] * along / count);
    }
  }
  return dx;
}

Cost NormWeightGradient::cost(const InputShapes& inputs, const Shape&) const {
  const Shape& x = *inputs[1];
  const Count each = elements(x);
  return {{Operation::kAddition, product({norm_.centred ? 4 : 2, each})},
          {Operation::kMultiplication, product({3, each})},
          {Operation::kRoot, rows(x)}};
}

Array NormWeightGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &dy = *inputs[0], &x = *inputs[1];
  const size_t length = x.shape().back();
  Array sums = make_array({length});
  sums.fill(0.0);
  std::vector<double> normal(length);
  for (size_t start = 0; start < x.size(); start += length) {
    normalize(norm_, x.data() + start, length, normal.data());
    for (size_t i = 0; i < length; ++i) sums.data()[i] += dy.data()[start + i] * normal[i];
  }
  return sums;
}

NormModule declare_layer_norm(Parameters& parameters, std::string_view name, Dimension features,
                              double eps, bool bias, bool made, bool plus_one) {
  const std::string constructor = format(
      "{}({}{}{})", {plus_one ? "LayerNormPlusOne" : "nn.LayerNorm", features,
                     eps == 1e-5 ? "" : ", eps=" + python_number(eps), bias ? "" : ", bias=False"});
  NormModule norm{};
  norm.module = parameters.add_module(name, made ? constructor : "");
  norm.op = make_op<LayerNorm>(eps, plus_one);
  const Init init{plus_one ? Init::Kind::kZeros : Init::Kind::kOnes};
  norm.weight = {parameters.add(norm.module, "weight", {features}, init)};
  if (bias) norm.bias = {parameters.add(norm.module, "bias", {features}, Init{})};
  return norm;
}

NormModule declare_rms_norm(Parameters& parameters, std::string_view name, Dimension features,
                            double eps, bool plus_one) {
  const char* kind = plus_one ? "RMSNormPlusOne" : "nn.RMSNorm";
  NormModule norm{};
  norm.module =
      parameters.add_module(name, format("{}({}, eps={})", {kind, features, python_number(eps)}));
  norm.op = make_op<RmsNorm>(eps, plus_one);
  const Init init{plus_one ? Init::Kind::kZeros : Init::Kind::kOnes};
  norm.weight = {parameters.add(norm.module, "weight", {features}, init)};
  return norm;
}

TensorId apply_norm(Graph& graph, const NormModule& norm, TensorId x, std::string_view output) {
  std::vector<TensorId> inputs{x, graph.use(norm.weight)};
  if (norm.bias.exists()) inputs.push_back(graph.use(norm.bias));
  const std::string_view name = graph.parameters().module_name(norm.module);
  return graph.add_step(name, "norm", norm.op, inputs, output, norm.module);
}

}  // namespace attnscope
