#include "linear.h"

#include <cmath>
#include <stdexcept>

#include "../graph/gradients.h"
#include "matmul.h"
#include "reshape.h"

namespace attnscope {

Shape Linear::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  const Shape& weight = *inputs[1];
  if (!fits(x.back(), weight[1])) {
    wrong_graph("linear: x {} does not fit weight {}", {x, weight});
  }
  Shape shape = x;
  shape.back() = weight[0];
  return shape;
}

Cost Linear::cost(const InputShapes& inputs, const Shape& output) const {
  const bool bias = inputs.size() > 2;
  const Count outputs = elements(output);
  const Count macs = product({outputs, inputs[0]->back()});
  Cost cost = Cost::products(macs, macs);
  if (bias) cost += {{Operation::kAddition, outputs}};
  return cost;
}

Array Linear::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const Array& weight = *inputs[1];
  const double* bias = inputs.size() > 2 ? inputs[2]->data() : nullptr;
  const size_t out_features = weight.shape(0), in_features = weight.shape(1);
  const size_t rows = x.size() / in_features;

  std::vector<size_t> shape(x.shape().begin(), x.shape().end());
  shape.back() = out_features;
  Array y = make_array(shape);
  for (size_t row = 0; row < rows; ++row) {
    const double* in = x.data() + row * in_features;
    for (size_t o = 0; o < out_features; ++o) {
      const double* w = weight.data() + o * in_features;
      double sum = bias ? bias[o] : 0.0;
      for (size_t i = 0; i < in_features; ++i) sum += in[i] * w[i];
      y.data()[row * out_features + o] = sum;
    }
  }
  return y;
}

void Linear::gradients(GradientBuilder& step) const {
  const TensorId dy = step.gradient();
  if (step.needs(0)) {
    step.give(0, step.add<Matmul>({dy, step.input(1)}, Matmul::Right::kPlain));
  }
  if (step.needs(1)) {
    step.give(1, step.add<TransposedMatmul>({dy, step.input(0)}, TransposedMatmul::Batches::kSum));
  }
  if (step.needs(2)) step.give(2, step.add<SumTo>({dy}, step.shape(step.input(2))));
}

std::string Linear::pytorch(const std::vector<std::string>& inputs, std::string_view module) const {
  if (!module.empty()) return format("{}({})", {module, inputs[0]});
  std::string text = format("F.linear({}", {inputs[0]});
  for (size_t i = 1; i < inputs.size(); ++i) text += format(", {}", {inputs[i]});
  return format("{})", {text});
}

LinearModule declare_linear(Parameters& parameters, std::string_view name, Dimension in_features,
                            Dimension out_features, bool bias, bool made) {
  if (out_features.axis == Axis::kNone) out_features.axis = Axis::kFeature;
  const std::string constructor =
      format("nn.Linear({}, {}{}", {in_features, out_features, bias ? ")" : ", bias=False)"});
  const Init init{Init::Kind::kUniform, 1.0 / std::sqrt(static_cast<double>(in_features))};
  LinearModule linear{};
  linear.module = parameters.add_module(name, made ? constructor : "");
  linear.weight = {parameters.add(linear.module, "weight", {out_features, in_features}, init)};
  if (bias) linear.bias = {parameters.add(linear.module, "bias", {out_features}, init)};
  return linear;
}

TensorId apply_linear(Graph& graph, const LinearModule& linear, std::string_view part, TensorId x,
                      std::string_view output) {
  const OpPtr& op = shared_op<Linear>();
  std::vector<TensorId> inputs{x, graph.use(linear.weight)};
  if (linear.bias.exists()) inputs.push_back(graph.use(linear.bias));
  const std::string_view name =
      linear.module < 0 ? output : graph.parameters().module_name(linear.module);
  return graph.add_step(name, part, op, inputs, output, linear.module);
}

}  // namespace attnscope
