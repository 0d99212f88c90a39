#include "pooling.h"

#include <algorithm>
#include <cmath>

#include "../graph/gradients.h"
#include "sequences.h"

namespace attnscope {
namespace {

constexpr double kHidden = SequenceMask::kHidden;

/// The share of each position of a sequence in its mean; all 0 where the mask hides them all.
std::vector<double> shares(const SequenceMask& mask, size_t b, size_t T) {
  double maximum = kHidden, total = 0.0;
  for (size_t t = 0; t < T; ++t) maximum = std::max(maximum, mask(b, t));
  std::vector<double> shares(T, 0.0);
  if (maximum == kHidden) return shares;
  for (size_t t = 0; t < T; ++t) total += shares[t] = std::exp(mask(b, t) - maximum);
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace

Shape MeanPool::output_shape(const InputShapes& inputs) const {
  return pooled_shape("mean_pool", inputs);
}

Cost MeanPool::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kAddition, elements(*inputs[0])}};
}

Array MeanPool::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const SequenceMask mask(inputs.size() > 1 ? inputs[1] : nullptr, x.shape(1));
  const size_t B = x.shape(0), T = x.shape(1), E = x.shape(2);
  Array y = make_array({B, E});
  y.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    const std::vector<double> share = shares(mask, b, T);
    for (size_t t = 0; t < T; ++t) {
      for (size_t e = 0; share[t] > 0 && e < E; ++e) y(b, e) += share[t] * x(b, t, e);
    }
  }
  return y;
}

void MeanPool::gradients(GradientBuilder& step) const {
  const Dimension positions = step.shape(step.input(0))[1];
  step.give(0, step.add<MeanPoolGradient>(with_mask(step, {step.gradient()}), positions));
}

std::string MeanPool::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2) return format("{}.mean(dim=1)", {inputs[0]});
  return format("mean_pool({}, {})", {inputs[0], inputs[1]});
}

std::vector<std::string> MeanPool::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 2) return {};
  return {R"(def mean_pool(x, mask):
    """The mean over the positions that the mask leaves; zeros where it leaves none."""
    if mask is None:
        return x.mean(dim=1)
    weights = mask.to(x.dtype).log().softmax(dim=-1).nan_to_num().expand(x.shape[:2])
    return torch.bmm(weights.unsqueeze(1), x).squeeze(1)
)"};
}

Shape MaxPool::output_shape(const InputShapes& inputs) const {
  return pooled_shape("max_pool", inputs);
}

Cost MaxPool::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kComparison, elements(*inputs[0])}};
}

Array MaxPool::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const SequenceMask mask(inputs.size() > 1 ? inputs[1] : nullptr, x.shape(1));
  const size_t B = x.shape(0), T = x.shape(1), E = x.shape(2);
  Array y = make_array({B, E});
  y.fill(kHidden);
  for (size_t b = 0; b < B; ++b) {
    bool any = false;
    for (size_t t = 0; t < T; ++t) {
      if (mask.hides(b, t)) continue;
      any = true;
      for (size_t e = 0; e < E; ++e) {
        const double value = x(b, t, e);
        if (value > y(b, e) || std::isnan(value)) y(b, e) = value;
      }
    }
    for (size_t e = 0; !any && e < E; ++e) y(b, e) = 0.0;
  }
  return y;
}

void MaxPool::gradients(GradientBuilder& step) const {
  step.give(0, step.add(shared_op<MaxPoolGradient>(),
                        with_mask(step, {step.gradient(), step.input(0), step.output()})));
}

std::string MaxPool::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2) return format("{}.amax(dim=1)", {inputs[0]});
  return format("max_pool({}, {})", {inputs[0], inputs[1]});
}

std::vector<std::string> MaxPool::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 2) return {};
  return {R"(def max_pool(x, mask):
    """The maximum over the positions that the mask leaves; zeros where it leaves none."""
    if mask is None:
        return x.amax(dim=1)
    visible = mask.expand(x.shape[:2])
    pooled = x.masked_fill(~visible.unsqueeze(-1), float("-inf")).amax(dim=1)
    return pooled.masked_fill(~visible.any(dim=1, keepdim=True), 0.0)
)"};
}

Shape MeanPoolGradient::output_shape(const InputShapes& inputs) const {
  const Shape& dy = *inputs[0];
  return {dy[0], positions_, dy[1]};
}

Cost MeanPoolGradient::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array MeanPoolGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array& dy = *inputs[0];
  const size_t B = dy.shape(0), T = static_cast<size_t>(positions_.size), E = dy.shape(1);
  const SequenceMask mask(inputs.size() > 1 ? inputs[1] : nullptr, T);
  Array dx = make_array({B, T, E});
  for (size_t b = 0; b < B; ++b) {
    const std::vector<double> share = shares(mask, b, T);
    for (size_t t = 0; t < T; ++t) {
      for (size_t e = 0; e < E; ++e) dx(b, t, e) = share[t] * dy(b, e);
    }
  }
  return dx;
}

Cost MaxPoolGradient::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kComparison, elements(output)}, {Operation::kDivision, elements(output)}};
}

Array MaxPoolGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &dy = *inputs[0], &x = *inputs[1], &y = *inputs[2];
  const size_t B = x.shape(0), T = x.shape(1), E = x.shape(2);
  const SequenceMask mask(inputs.size() > 3 ? inputs[3] : nullptr, T);
  Array dx = make_array({B, T, E});
  dx.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    for (size_t e = 0; e < E; ++e) {
      const auto has_maximum = [&](size_t t) { return !mask.hides(b, t) && x(b, t, e) == y(b, e); };
      double sharing = 0.0;
      for (size_t t = 0; t < T; ++t) sharing += has_maximum(t) ? 1.0 : 0.0;
      for (size_t t = 0; t < T; ++t) {
        if (has_maximum(t)) dx(b, t, e) = dy(b, e) / sharing;
      }
    }
  }
  return dx;
}

}  // namespace attnscope
