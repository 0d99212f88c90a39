#include "last_position.h"

#include <algorithm>
#include <optional>

#include "sequences.h"

namespace attnscope {
namespace {

/// The last position of sequence `b` that the mask leaves.
std::optional<size_t> last_of(const SequenceMask& mask, size_t b, size_t T) {
  for (size_t t = T; t-- > 0;) {
    if (!mask.hides(b, t)) return t;
  }
  return std::nullopt;
}

}  // namespace

Shape LastPosition::output_shape(const InputShapes& inputs) const {
  return pooled_shape("last_position", inputs);
}

Array LastPosition::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), T = x.shape(1), E = x.shape(2);
  const SequenceMask mask(inputs.size() > 1 ? inputs[1] : nullptr, T);
  Array y = make_array({B, E});
  y.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    const std::optional<size_t> t = last_of(mask, b, T);
    if (t) std::copy_n(x.data() + (b * T + *t) * E, E, y.data() + b * E);
  }
  return y;
}

void LastPosition::gradients(GradientBuilder& step) const {
  const Dimension positions = step.shape(step.input(0))[1];
  step.give(0, step.add<LastPositionGradient>(with_mask(step, {step.gradient()}), positions));
}

std::string LastPosition::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 2) return format("{}[:, -1]", {inputs[0]});
  return format("last_position({}, {})", {inputs[0], inputs[1]});
}

std::vector<std::string> LastPosition::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 2) return {};
  return {R"(def last_position(x, mask):
    """The last position that the mask leaves; zeros where it leaves none."""
    if mask is None:
        return x[:, -1]
    visible = mask.expand(x.shape[:2])
    place = (visible * torch.arange(1, x.shape[1] + 1, device=x.device)).argmax(dim=1)
    last = x.take_along_dim(place[:, None, None], dim=1).squeeze(1)
    return last.masked_fill(~visible.any(dim=1, keepdim=True), 0.0)
)"};
}

Shape LastPositionGradient::output_shape(const InputShapes& inputs) const {
  const Shape& dy = *inputs[0];
  return {dy[0], positions_, dy[1]};
}

Array LastPositionGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array& dy = *inputs[0];
  const size_t B = dy.shape(0), T = static_cast<size_t>(positions_.size), E = dy.shape(1);
  const SequenceMask mask(inputs.size() > 1 ? inputs[1] : nullptr, T);
  Array dx = make_array({B, T, E});
  dx.fill(0.0);
  for (size_t b = 0; b < B; ++b) {
    const std::optional<size_t> t = last_of(mask, b, T);
    if (t) std::copy_n(dy.data() + b * E, E, dx.data() + (b * T + *t) * E);
  }
  return dx;
}

}  // namespace attnscope
