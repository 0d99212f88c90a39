#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace attnscope {

Shape Softmax::output_shape(const InputShapes& inputs) const {
  const Shape& scores = *inputs[0];
  const Shape* mask = inputs.size() > 1 ? inputs[1] : nullptr;
  const bool fits = !mask || (!mask->empty() && mask->size() <= scores.size() &&
                              std::equal(mask->rbegin(), mask->rend(), scores.rbegin()));
  if (!fits) {
    throw std::logic_error("softmax: mask " + to_string(*mask) + " does not fit scores " +
                           to_string(scores));
  }
  return scores;
}

Cost Softmax::cost(const InputShapes& inputs, const Shape& output) const {
  // Five a score: compare for the maximum, subtract it, exponentiate, add to the sum, divide.
  const bool mask = inputs.size() > 1 && inputs[1];
  return {0, product({elements(output), mask ? 6 : 5})};
}

Array Softmax::forward(const std::vector<const Array*>& inputs) const {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  Array weights = *inputs[0];
  if (inputs.size() > 1 && inputs[1]) {
    for (size_t i = 0; i < weights.size(); ++i)
      weights.data()[i] += inputs[1]->data()[i % inputs[1]->size()];
  }
  const size_t length = weights.shape().back();
  for (size_t start = 0; start < weights.size(); start += length) {
    double* row = weights.data() + start;
    const double maximum = *std::max_element(row, row + length);
    const auto is_nan = [](double score) { return std::isnan(score); };
    if (maximum == kHidden && std::none_of(row, row + length, is_nan)) {
      std::fill(row, row + length, 0.0);
      continue;
    }
    double sum = 0.0;
    for (size_t i = 0; i < length; ++i) sum += row[i] = std::exp(row[i] - maximum);
    for (size_t i = 0; i < length; ++i) row[i] /= sum;
  }
  return weights;
}

std::string Softmax::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2) return inputs[0] + ".softmax(dim=-1)";
  return "masked_softmax(" + inputs[0] + ", " + inputs[1] + ")";
}

std::string_view Softmax::pytorch_helper() const {
  return R"(def masked_softmax(scores, mask=None):
    """Softmax over the last dimension.

    mask: boolean, True = may attend, or float, added to the scores.
    A row in which nothing may be attended to gives zeros, not NaN.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    if mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    else:
        scores = scores + mask
    hidden = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.softmax(dim=-1).masked_fill(hidden, 0.0)
)";
}

}  // namespace attnscope
