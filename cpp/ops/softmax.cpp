#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "../graph/gradients.h"
#include "broadcast.h"

namespace attnscope {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

Shape without_tail(Shape shape, int64_t tail) {
  shape.back().size -= tail;
  return shape;
}

Shape shape_of(const Array& array) { return Shape(array.shape().begin(), array.shape().end()); }

void normalize(double* row, size_t length) {
  const double maximum = *std::max_element(row, row + length);
  const auto is_nan = [](double score) { return std::isnan(score); };
  if (maximum == kHidden && std::none_of(row, row + length, is_nan)) {
    std::fill(row, row + length, 0.0);
    return;
  }
  double sum = 0.0;
  for (size_t i = 0; i < length; ++i) sum += row[i] = std::exp(row[i] - maximum);
  for (size_t i = 0; i < length; ++i) row[i] /= sum;
}

/// The scores' shape, if the mask fits them.
Shape masked_shape(const InputShapes& inputs, const Band& band) {
  const Shape& scores = *inputs[0];
  const Shape* mask = inputs.size() > 1 ? inputs[1] : nullptr;
  if (mask && !broadcasts_to(*mask, without_tail(scores, band.tail))) {
    wrong_graph("softmax: mask {} does not fit scores {}", {*mask, scores});
  }
  return scores;
}

/// The scores with the mask added, if there is one, and -inf where the band hides them.
Array masked(const std::vector<const Array*>& inputs, const Band& band) {
  Array scores = *inputs[0];
  const Array* mask = inputs.size() > 1 ? inputs[1] : nullptr;
  const Shape shape = shape_of(scores), covered = without_tail(shape, band.tail);
  const int64_t length = shape.back(), rows = static_cast<int64_t>(scores.size()) / length;
  const int64_t queries = shape.size() > 1 ? shape[shape.size() - 2].size : 1;
  for (int64_t r = 0; r < rows; ++r) {
    double* row = scores.data() + r * length;
    if (mask) {
      const double* added = mask->data() + broadcast_row(shape_of(*mask), covered, r);
      for (int64_t j = 0; j < covered.back(); ++j) row[j] += added[j];
    }
    const Band::Range range = band.visible(r % queries, length);
    for (int64_t j = 0; band.restricts() && j < covered.back(); ++j) {
      if (j < range.first || j >= range.end) row[j] = kHidden;
    }
  }
  return scores;
}

}  // namespace

Shape Softmax::output_shape(const InputShapes& inputs) const { return masked_shape(inputs, band_); }

OpPtr Softmax::masking() const { return make_op<MaskedScores>(band_); }

Cost Softmax::cost(const InputShapes& inputs, const Shape& output) const {
  // Five a score: compare for the maximum, subtract it, exponentiate, add to the sum, divide. One
  // more for a mask. As PyTorch computes: a band's hidden scores are not left out.
  const bool mask = (inputs.size() > 1 && inputs[1]) || band_.restricts();
  const Count each = elements(output);
  return {{Operation::kComparison, each},
          {Operation::kAddition, product({mask ? 3 : 2, each})},
          {Operation::kExponential, each},
          {Operation::kDivision, each}};
}

Saved Softmax::saved_for_backward(const InputShapes&, const Shape& output) const {
  // dx = y (dy - Σ y dy). Where a band hides whole rows, y is kept before they become zeros, and
  // which rows those are, a byte each.
  if (!band_.restricts() || output.size() < 2 || band_.tail > 0) return {.output = true};
  const int64_t T = output[output.size() - 2], S = output.back();
  const auto hidden = [&](int64_t i) { return band_.visible(i, S).end == 0; };
  if (!hidden(0) && !hidden(T - 1)) return {.output = true};
  return {.elements = elements(output), .bytes = elements(output) / S};
}

Array Softmax::forward(const std::vector<const Array*>& inputs) const {
  Array weights = masked(inputs, band_);
  const size_t length = weights.shape().back();
  for (size_t start = 0; start < weights.size(); start += length) {
    normalize(weights.data() + start, length);
  }
  return weights;
}

void Softmax::gradients(GradientBuilder& step) const {
  if (!step.needs(0)) return;
  step.give(0, step.add(shared_op<SoftmaxGradient>(), {step.output(), step.gradient()}));
}

std::string Softmax::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2 && !band_.restricts()) return format("{}.softmax(dim=-1)", {inputs[0]});
  std::string text = format("masked_softmax({}", {inputs[0]});
  if (inputs.size() > 1) text += format(", {}", {inputs[1]});
  if (band_.is_causal) text += ", is_causal=True";
  if (band_.window) text += format(", window={}", {*band_.window});
  if (band_.offset != 0) text += format(", offset={}", {band_.offset});
  if (band_.tail != 0) text += format(", tail={}", {band_.tail});
  return format("{})", {text});
}

std::string_view Softmax::pytorch_helper() const {
  return R"(def masked_softmax(scores, mask=None, is_causal=False, window=None, offset=0, tail=0):
    """Softmax over the last dimension, the keys.

    mask: boolean, True = may attend, or float, added to the scores.
    Query i stands at position i + offset; causal: it sees no key after that; window: none that is
    as many positions away. The last `tail` keys have no position: every query sees them.
    A row in which nothing may be attended to gives zeros, not NaN.
    """
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
        scores = scores + nn.functional.pad(mask, (0, tail))
    hidden = torch.zeros(1, dtype=torch.bool)
    if is_causal or window:
        distance = torch.arange(scores.size(-2))[:, None] + offset - torch.arange(scores.size(-1) - tail)
        hidden = (distance < 0) if is_causal else torch.zeros_like(distance, dtype=torch.bool)
        if window:
            hidden = hidden | (distance >= window) | (distance <= -window)
        hidden = nn.functional.pad(hidden, (0, tail))
        scores = scores + torch.zeros(hidden.shape, dtype=scores.dtype).masked_fill(hidden, float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None or hidden.all(dim=-1).any():
        weights = weights.masked_fill(scores.isneginf().all(dim=-1, keepdim=True), 0.0)
    return weights
)";
}

Shape MaskedScores::output_shape(const InputShapes& inputs) const {
  return masked_shape(inputs, band_);
}

Cost MaskedScores::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}};
}

Array MaskedScores::forward(const std::vector<const Array*>& inputs) const {
  return masked(inputs, band_);
}

Shape SoftmaxGradient::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("softmax_backward: {} is not {}", {*inputs[0], *inputs[1]});
  }
  return *inputs[0];
}

Cost SoftmaxGradient::cost(const InputShapes&, const Shape& output) const {
  // Four a score: y dy, its sum, the difference, and its product with y.
  const Count each = elements(output);
  return {{Operation::kAddition, product({2, each})},
          {Operation::kMultiplication, product({2, each})}};
}

Array SoftmaxGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &y = *inputs[0], &dy = *inputs[1];
  const size_t length = y.shape().back();
  Array dx = y;
  for (size_t start = 0; start < y.size(); start += length) {
    double sum = 0.0;
    for (size_t i = start; i < start + length; ++i) sum += y.data()[i] * dy.data()[i];
    for (size_t i = start; i < start + length; ++i) dx.data()[i] *= dy.data()[i] - sum;
  }
  return dx;
}

}  // namespace attnscope
