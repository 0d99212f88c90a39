#include "squeeze.h"

#include <stdexcept>

#include "../graph/gradients.h"
#include "reshape.h"

namespace attnscope {

Shape Squeeze::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (shape.empty() || shape.back() != 1) {
    wrong_graph("squeeze: the last dimension of {} is not 1", {shape});
  }
  shape.pop_back();
  return shape;
}

Array Squeeze::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  y.reshape(std::vector<size_t>(y.shape().begin(), y.shape().end() - 1));
  return y;
}

void Squeeze::gradients(GradientBuilder& step) const {
  step.give(0, step.add<Reshape>({step.gradient()}, step.shape(step.input(0))));
}

std::string Squeeze::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.squeeze(-1)", {inputs[0]});
}

}  // namespace attnscope
