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

/// Whether a query sees no key at all, whatever the mask.
bool hides_rows(const Band& band, const Shape& scores) {
  if (!band.restricts() || scores.size() < 2 || band.tail > 0) return false;
  const int64_t T = scores[scores.size() - 2], S = scores.back();
  const auto hidden = [&](int64_t i) { return band.visible(i, S).end == 0; };
  return hidden(0) || hidden(T - 1);
}

/// What the printed function of a band is called, and what it is given besides scores and mask.
const char* function_of(const Band& band) {
  if (band.window) return band.is_causal ? "causal_windowed_softmax" : "windowed_softmax";
  if (band.is_causal) return "causal_softmax";
  return band.tail > 0 ? "extended_softmax" : "masked_softmax";
}
std::vector<std::pair<const char*, int64_t>> further_arguments(const Band& band) {
  std::vector<std::pair<const char*, int64_t>> arguments;
  if (band.window) arguments.emplace_back("window", *band.window);
  if (band.tail > 0) arguments.emplace_back("tail", band.tail);
  if (band.restricts() && band.offset != 0) arguments.emplace_back("offset", band.offset);
  return arguments;
}

/// What the printed function does, in a line.
std::string banded_doc(const Band& band, bool masked) {
  if (!band.restricts()) return "masked_softmax() of a mask that leaves out the last `tail` keys.";
  const char* keys = "the keys up to the query's position";
  if (band.window) {
    keys = band.is_causal ? "the last `window` keys up to the query's position"
                          : "the keys nearer than `window` to the query's position";
  }
  return format("{} over {}{}{}.", {masked ? "masked_softmax()" : "Softmax", keys,
                                    band.offset != 0 ? ", row + offset" : "",
                                    band.tail > 0 ? " and the last `tail` keys" : ""});
}

/// The statements that make `hidden`, -inf where the band hides a key and 0 elsewhere: added, it
/// leaves nothing for the backward pass.
std::string hidden_text(const Band& band) {
  if (!band.restricts()) return {};
  const bool offset = band.offset != 0;
  std::string text = R"(    hidden = scores.new_full(scores.shape[-2:], float("-inf")))";
  const char* after =
      band.is_causal ? (offset ? "offset + 1" : "1") : (offset ? "offset + window" : "window");
  if (band.window) {
    text += format("\n    hidden = hidden.triu({}) + hidden.tril({})\n",
                   {after, offset ? "offset - window" : "-window"});
  } else {
    text += format(".triu({})\n", {after});
  }
  if (band.tail > 0) text += "    hidden[:, -tail:] = 0.0\n";
  return text;
}

/// Its last lines without a mask: rows that see nothing are zeros, not NaN.
const char* plain_end(bool hides_rows) {
  if (!hides_rows) return "    return (scores + hidden).softmax(dim=-1)\n";
  return R"(    scores = scores + hidden
    empty = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.masked_fill(empty, 0.0).softmax(dim=-1).masked_fill(empty, 0.0)
)";
}

/// The printed function of a band; one that takes a mask stands on top of masked_softmax().
std::string banded_softmax(const Band& band, bool hides_rows, bool masked) {
  std::string parameters = masked ? "scores, mask" : "scores";
  for (const auto& [name, value] : further_arguments(band)) {
    parameters += format(name == std::string_view("offset") ? ", {}=0" : ", {}", {name});
  }
  std::string text =
      format("def {}({}):\n    \"\"\"{}\"\"\"\n{}",
             {function_of(band), parameters, banded_doc(band, masked), hidden_text(band)});
  if (!masked) return text + plain_end(hides_rows);
  if (band.tail > 0) {
    text += R"(    if mask is not None:
        mask = F.pad(mask, (0, tail), value=float(mask.dtype == torch.bool))
)";
  }
  const char* scores = band.restricts() ? "scores + hidden" : "scores";
  const char* mask = hides_rows ? "hidden if mask is None else mask" : "mask";
  return format("{}    return masked_softmax({}, {})\n", {text, scores, mask});
}

/// The scores' shape, if the mask fits them.
Shape masked_shape(const InputShapes& inputs, const Band& band, MaskOf of) {
  const Shape& scores = *inputs[0];
  const Shape* mask = inputs.size() > 1 ? inputs[1] : nullptr;
  const Shape covered = without_tail(scores, band.tail);
  if (mask &&
      !broadcasts_to(*mask, of == MaskOf::kKeys ? Shape{covered[0], covered.back()} : covered)) {
    wrong_graph("softmax: mask {} does not fit scores {}", {*mask, scores});
  }
  return scores;
}

/// The scores with the mask added, if there is one, and -inf where the band hides them.
Array masked(const std::vector<const Array*>& inputs, const Band& band, MaskOf of) {
  Array scores = *inputs[0];
  const Array* mask = inputs.size() > 1 ? inputs[1] : nullptr;
  const Shape shape = shape_of(scores), covered = without_tail(shape, band.tail);
  const int64_t length = shape.back(), rows = static_cast<int64_t>(scores.size()) / length;
  const int64_t queries = shape.size() > 1 ? shape[shape.size() - 2].size : 1;
  const Shape given = mask ? shape_of(*mask) : Shape();
  for (int64_t r = 0; r < rows; ++r) {
    double* row = scores.data() + r * length;
    if (mask) {
      const double* added = mask->data() + mask_row(of, given, covered, r);
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

int64_t mask_row(MaskOf of, const Shape& mask, const Shape& scores, int64_t row) {
  if (of == MaskOf::kScores) return broadcast_row(mask, scores, row);
  if (mask.size() < 2 || mask[0] == 1) return 0;
  for (size_t i = 1; i + 1 < scores.size(); ++i) row /= scores[i];
  return row * mask.back();
}

Shape Softmax::output_shape(const InputShapes& inputs) const {
  return masked_shape(inputs, band_, mask_of_);
}

OpPtr Softmax::masking() const { return make_op<MaskedScores>(band_, mask_of_); }

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
  if (!hides_rows(band_, output)) return {.outputs = {0}};
  return {.elements = elements(output), .bytes = elements(output) / output.back().size};
}

Array Softmax::forward(const std::vector<const Array*>& inputs) const {
  Array weights = masked(inputs, band_, mask_of_);
  const Shape shape = shape_of(weights);
  const int64_t length = shape.back(), rows = static_cast<int64_t>(weights.size()) / length;
  const int64_t queries = shape.size() > 1 ? shape[shape.size() - 2].size : 1;
  for (int64_t r = 0; r < rows; ++r) {
    double* row = weights.data() + r * length;
    normalize(row, static_cast<size_t>(length));
    // A row with NaN is NaN, but for the keys outside the band.
    for (int64_t j = 0; j < length; ++j) {
      if (!band_.shows(r % queries, j, length)) row[j] = 0.0;
    }
  }
  return weights;
}

void Softmax::gradients(GradientBuilder& step) const {
  if (!step.needs(0)) return;
  step.give(0, step.add(shared_op<SoftmaxGradient>(), {step.output(), step.gradient()}));
}

std::string Softmax::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const bool masked = inputs.size() > 1;
  if (!masked && !band_.restricts()) return format("{}.softmax(dim=-1)", {inputs[0]});
  std::string text = format("{}({}", {function_of(band_), inputs[0]});
  if (masked) {
    text += format(mask_of_ == MaskOf::kKeys ? ", over_queries({})" : ", {}", {inputs[1]});
  }
  for (const auto& [name, value] : further_arguments(band_)) {
    text += format(", {}={}", {name, value});
  }
  return format("{})", {text});
}

std::vector<std::string> Softmax::pytorch_helpers(const InputShapes& inputs) const {
  const bool masked = inputs.size() > 1, hides = hides_rows(band_, *inputs[0]);
  std::vector<std::string> helpers;
  if (masked) {
    helpers.push_back(R"(def masked_softmax(scores, mask):
    """Softmax over the keys; a row whose every key is hidden gives zeros, not NaN."""
    if mask is None:
        return scores.softmax(dim=-1)
    if mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    else:
        scores = scores + mask
    hidden = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.masked_fill(hidden, 0.0).softmax(dim=-1).masked_fill(hidden, 0.0)
)");
  }
  if (masked && mask_of_ == MaskOf::kKeys) {
    helpers.push_back(R"(def over_queries(mask):
    """A mask of the keys (batch, keys) as one of the scores: the same for all heads and queries."""
    return mask if mask is None else mask[..., None, None, :]
)");
  }
  if (masked ? !band_.is_whole() : band_.restricts()) {
    helpers.push_back(banded_softmax(band_, hides, masked));
  }
  return helpers;
}

Shape MaskedScores::output_shape(const InputShapes& inputs) const {
  return masked_shape(inputs, band_, mask_of_);
}

Cost MaskedScores::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}};
}

Array MaskedScores::forward(const std::vector<const Array*>& inputs) const {
  return masked(inputs, band_, mask_of_);
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
