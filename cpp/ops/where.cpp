#include "where.h"

#include <algorithm>
#include <limits>

#include "../graph/gradients.h"
#include "broadcast.h"

namespace attnscope {
namespace {

void check_mask(std::string_view op, const InputShapes& inputs, size_t mask) {
  if (inputs.size() <= mask || !inputs[mask]) return;
  const Shape rows = rows_of(*inputs[0]);
  if (inputs[mask]->back() == 1 && broadcasts_to(*inputs[mask], rows)) return;
  wrong_graph("{}: mask {} does not fit the rows {}", {op, *inputs[mask], rows});
}

const Array* mask_of(const std::vector<const Array*>& inputs, size_t mask) {
  return mask < inputs.size() ? inputs[mask] : nullptr;
}

/// work(row, whether it is hidden) for each row of x.
template <class Work>
void each_row(const Array& x, const Array* mask, Work work) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const Shape rows = rows_of({x.shape().begin(), x.shape().end()});
  const Shape of_mask = mask ? Shape(mask->shape().begin(), mask->shape().end()) : Shape{1};
  for (int64_t row = 0; row < static_cast<int64_t>(elements(rows)); ++row) {
    work(row, mask && mask->data()[broadcast_row(of_mask, rows, row)] == kHidden);
  }
}

/// Bytes of a mask, of booleans.
Count mask_bytes(const InputShapes& inputs, size_t mask) {
  return mask < inputs.size() && inputs[mask] ? elements(*inputs[mask]) : 0;
}

}  // namespace

Shape rows_of(Shape x) {
  x.back() = 1;
  return x;
}

Shape WhereVisible::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("{}: {} is not {}", {name(), *inputs[1], *inputs[0]});
  }
  check_mask(name(), inputs, 2);
  return *inputs[0];
}

Saved WhereVisible::saved_for_backward(const InputShapes& inputs, const Shape&) const {
  return {.bytes = mask_bytes(inputs, 2)};
}

Array WhereVisible::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const auto E = static_cast<int64_t>(y.shape().back());
  each_row(y, mask_of(inputs, 2), [&](int64_t row, bool hidden) {
    if (hidden) std::copy_n(inputs[1]->data() + row * E, E, y.data() + row * E);
  });
  return y;
}

void WhereVisible::gradients(GradientBuilder& step) const {
  const TensorId dy = step.gradient(), mask = step.input(2);
  if (mask == kNoTensor) {
    if (step.needs(0)) step.give(0, dy);
    return;
  }
  if (step.needs(0)) step.give(0, step.add<ZeroRows>({dy, mask}, ZeroRows::Rows::kHidden));
  if (step.needs(1)) step.give(1, step.add<ZeroRows>({dy, mask}, ZeroRows::Rows::kVisible));
}

std::string WhereVisible::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  if (inputs.size() < 3) return inputs[0];
  return format("where_visible({}, {}, {})", {inputs[2], inputs[0], inputs[1]});
}

std::vector<std::string> WhereVisible::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 3) return {};
  return {R"(def where_visible(mask, x, other):
    """x, and other where the mask hides it."""
    if mask is None:
        return x
    return torch.where(mask if mask.dtype == torch.bool else ~mask.isneginf(), x, other)
)"};
}

Shape ZeroRows::output_shape(const InputShapes& inputs) const {
  check_mask(name(), inputs, 1);
  return *inputs[0];
}

Saved ZeroRows::saved_for_backward(const InputShapes& inputs, const Shape&) const {
  return {.bytes = mask_bytes(inputs, 1)};
}

Array ZeroRows::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const auto E = static_cast<int64_t>(y.shape().back());
  each_row(y, mask_of(inputs, 1), [&](int64_t row, bool hidden) {
    if (hidden == (zeros_ == Rows::kHidden)) std::fill_n(y.data() + row * E, E, 0.0);
  });
  return y;
}

void ZeroRows::gradients(GradientBuilder& step) const {
  std::vector<TensorId> inputs = step.inputs();
  inputs[0] = step.gradient();
  step.give(0, step.add(step.op(), inputs));
}

std::string ZeroRows::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const bool hidden = zeros_ == Rows::kHidden;
  if (inputs.size() < 2) return hidden ? inputs[0] : format("torch.zeros_like({})", {inputs[0]});
  return format("{}({}, {})", {name(), inputs[0], inputs[1]});
}

std::vector<std::string> ZeroRows::pytorch_helpers(const InputShapes& inputs) const {
  if (inputs.size() < 2) return {};
  if (zeros_ == Rows::kHidden) {
    return {R"(def zero_hidden(x, mask):
    """Zeros where the mask hides a row."""
    if mask is None:
        return x
    return x.masked_fill(~mask if mask.dtype == torch.bool else mask.isneginf(), 0.0)
)"};
  }
  return {R"(def zero_visible(x, mask):
    """Zeros where the mask shows a row."""
    if mask is None:
        return torch.zeros_like(x)
    return x.masked_fill(mask if mask.dtype == torch.bool else ~mask.isneginf(), 0.0)
)"};
}

}  // namespace attnscope
