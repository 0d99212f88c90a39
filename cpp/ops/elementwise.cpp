#include "elementwise.h"

namespace attnscope {

void Elementwise::gradients(GradientBuilder& step) const {
  const TensorId from = derives_from_output() ? step.output() : step.input(0);
  step.give(0, step.add<ElementwiseGradient>({step.gradient(), from}, step.op()));
}

Shape ElementwiseGradient::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("{}: {} is not {}", {name(), *inputs[0], *inputs[1]});
  }
  return *inputs[1];
}

Cost ElementwiseGradient::cost(const InputShapes& inputs, const Shape& output) const {
  // The derivative, and its product with the gradient.
  Cost cost = of().cost({inputs[1]}, output);
  cost += {{Operation::kMultiplication, elements(output)}};
  return cost;
}

Array ElementwiseGradient::forward(const std::vector<const Array*>& inputs) const {
  Array dx = *inputs[0];
  for (size_t i = 0; i < dx.size(); ++i) dx.data()[i] *= of().derivative(inputs[1]->data()[i]);
  return dx;
}

}  // namespace attnscope
