#include "tanh.h"

#include <cmath>

namespace attnscope {

Cost Tanh::cost(const InputShapes&, const Shape& output) const { return {0, elements(output)}; }

Array Tanh::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  for (double& value : y) value = std::tanh(value);
  return y;
}

std::string Tanh::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return "torch.tanh(" + inputs[0] + ")";
}

}  // namespace attnscope
