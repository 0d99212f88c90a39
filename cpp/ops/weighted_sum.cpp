#include "weighted_sum.h"

#include <stdexcept>

namespace attnscope {

Shape WeightedSum::output_shape(const InputShapes& inputs) const {
  const Shape& weights = *inputs[0];
  const Shape& values = *inputs[1];
  if (weights.size() != 2 || values.size() != 3 || weights[0] != values[0] ||
      weights[1] != values[1]) {
    throw std::logic_error("weighted_sum: weights " + to_string(weights) + " do not fit values " +
                           to_string(values));
  }
  return {values[0], values[2]};
}

Cost WeightedSum::cost(const InputShapes& inputs, const Shape&) const {
  return {elements(*inputs[1]), 0};
}

Array WeightedSum::forward(const std::vector<const Array*>& inputs) const {
  const Array& weights = *inputs[0];
  const Array& values = *inputs[1];
  const size_t B = values.shape(0), T = values.shape(1), E = values.shape(2);
  Array out = Array::from_shape({B, E});
  out.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    for (size_t t = 0; t < T; ++t) {
      for (size_t e = 0; e < E; ++e) out(b, e) += weights(b, t) * values(b, t, e);
    }
  }
  return out;
}

std::string WeightedSum::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  // bmm, not (weights * values).sum(): no (B, T, E) product is stored, and PyTorch counts its
  // FLOPs.
  return "torch.bmm(" + inputs[0] + ".unsqueeze(1), " + inputs[1] + ").squeeze(1)";
}

}  // namespace attnscope
