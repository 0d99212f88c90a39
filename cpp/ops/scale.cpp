#include "scale.h"

#include <cmath>

namespace attnscope {

double Scale::factor() const { return 1.0 / std::sqrt(static_cast<double>(divisor_)); }

Cost Scale::cost(const InputShapes&, const Shape& output) const { return {0, elements(output)}; }

Array Scale::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  for (double& value : y) value *= factor();
  return y;
}

std::string Scale::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return inputs[0] + " * " + std::to_string(divisor_) + " ** -0.5";
}

}  // namespace attnscope
