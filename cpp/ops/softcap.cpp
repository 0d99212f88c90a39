#include "softcap.h"

#include <cmath>

#include "../graph/number.h"

namespace attnscope {

double Softcap::apply(double x) const { return cap_ * std::tanh(x / cap_); }

Cost Softcap::cost(const InputShapes&, const Shape& output) const {
  const Count count = elements(output);
  return {{Operation::kDivision, count},
          {Operation::kExponential, count},
          {Operation::kMultiplication, count}};
}

Saved Softcap::saved_for_backward(const InputShapes&, const Shape& output) const {
  return {.elements = elements(output)};  // the hyperbolic tangent
}

std::string Softcap::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const std::string cap = number_text(cap_);
  return format("torch.tanh({} / {}) * {}", {inputs[0], cap, cap});
}

}  // namespace attnscope
