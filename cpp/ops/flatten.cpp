#include "flatten.h"

#include <algorithm>

#include "sequences.h"

namespace attnscope {
namespace {

/// A copy in which positions that the mask hides are zeros.
Array visible(const Array& x, const Array* hidden, size_t B, size_t T) {
  const SequenceMask mask(hidden, T);
  const size_t E = x.size() / (B * T);
  Array y = x;
  for (size_t b = 0; b < B; ++b) {
    for (size_t t = 0; t < T; ++t) {
      if (mask.hides(b, t)) std::fill_n(y.data() + (b * T + t) * E, E, 0.0);
    }
  }
  return y;
}

}  // namespace

Shape Flatten::output_shape(const InputShapes& inputs) const {
  const Shape pooled = pooled_shape("flatten", inputs);
  return {pooled[0], {(*inputs[0])[1] * pooled[1], Axis::kFeature}};
}

Array Flatten::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), T = x.shape(1);
  Array y = visible(x, inputs.size() > 1 ? inputs[1] : nullptr, B, T);
  y.reshape({B, T * x.shape(2)});
  return y;
}

void Flatten::gradients(GradientBuilder& step) const {
  const Shape sequences = step.shape(step.input(0));
  step.give(0, step.add<FlattenGradient>(with_mask(step, {step.gradient()}), sequences));
}

std::string Flatten::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2) return format("{}.flatten(1)", {inputs[0]});
  return format("flatten({}, {})", {inputs[0], inputs[1]});
}

std::vector<std::string> Flatten::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 2) return {};
  return {R"(def flatten(x, mask):
    """All positions side by side, zeros where the mask hides one."""
    if mask is not None:
        visible = mask.expand(x.shape[:2])
        x = x.masked_fill(~visible.unsqueeze(-1), 0.0)
    return x.flatten(1)
)"};
}

Array FlattenGradient::forward(const std::vector<const Array*>& inputs) const {
  const std::vector<size_t> shape(sequences_.begin(), sequences_.end());
  Array dx = visible(*inputs[0], inputs.size() > 1 ? inputs[1] : nullptr, shape[0], shape[1]);
  dx.reshape(shape);
  return dx;
}

}  // namespace attnscope
