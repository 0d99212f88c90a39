#include "where.h"

#include <algorithm>
#include <limits>

#include "../graph/gradients.h"
#include "broadcast.h"

namespace attnscope {
namespace {

/// work(row, whether it is hidden) for each row of x.
template <class Work>
void each_row(const RowMask& rows_in, const Array& x, const Array* mask, Work work) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const Shape rows = rows_in.rows({x.shape().begin(), x.shape().end()});
  const Shape of_mask = mask ? Shape(mask->shape().begin(), mask->shape().end()) : Shape{1};
  for (int64_t row = 0; row < static_cast<int64_t>(elements(rows)); ++row) {
    work(row, mask && mask->data()[rows_in.index(of_mask, rows, row)] == kHidden);
  }
}

}  // namespace

Shape RowMask::rows(Shape x) const {
  if (position_ == kAll) {
    x.pop_back();
  } else {
    x.back() = 1;
  }
  return x;
}

void RowMask::check(std::string_view op, const Shape& x, const Shape& mask) const {
  Shape whole = rows(x);
  if (position_ != kAll) whole.back() = mask.back();
  if (!broadcasts_to(mask, whole)) wrong_graph("{}: mask {} does not fit {}", {op, mask, x});
}

int64_t RowMask::index(const Shape& mask, const Shape& rows, int64_t row) const {
  const int64_t length = rows.back();  // of one position 1
  const int64_t column = position_ == kAll ? row % length : position_;
  return broadcast_row(mask, rows, row / length) + (mask.back() > 1 ? column : 0);
}

Shape WhereVisible::output_shape(const InputShapes& inputs) const {
  if (!fit(*inputs[0], *inputs[1])) {
    wrong_graph("{}: {} is not {}", {name(), *inputs[1], *inputs[0]});
  }
  if (inputs[2]) mask_.check(name(), *inputs[0], *inputs[2]);
  return *inputs[0];
}

std::shared_ptr<const Op> WhereVisible::at_slice(int64_t slice) const {
  if (mask_.position() != RowMask::kSlice) return nullptr;
  return make_op<WhereVisible>(RowMask(slice));
}

std::shared_ptr<const Op> WhereVisible::unmasked() const { return make_op<AllVisible>(name()); }

Array WhereVisible::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const auto E = static_cast<int64_t>(y.shape().back());
  each_row(mask_, y, inputs[2], [&](int64_t row, bool hidden) {
    if (hidden) std::copy_n(inputs[1]->data() + row * E, E, y.data() + row * E);
  });
  return y;
}

void WhereVisible::gradients(GradientBuilder& step) const {
  const std::vector<TensorId> inputs{step.gradient(), step.input(2)};
  // The first of these steps that is run has memory of its own, the last is in place.
  if (step.needs(1)) step.give(1, step.add<ZeroRows>(inputs, ZeroRows::Rows::kVisible, mask_));
  if (step.needs(0)) step.give(0, step.add<ZeroRows>(inputs, ZeroRows::Rows::kHidden, mask_));
}

std::string WhereVisible::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return inputs[0];
}

Shape ZeroRows::output_shape(const InputShapes& inputs) const {
  if (inputs[1]) mask_.check(name(), *inputs[0], *inputs[1]);
  return *inputs[0];
}

std::shared_ptr<const Op> ZeroRows::unmasked() const {
  return zeros_ == Rows::kHidden ? make_op<AllVisible>(name()) : nullptr;
}

Array ZeroRows::forward(const std::vector<const Array*>& inputs) const {
  Array y = *inputs[0];
  const auto E = static_cast<int64_t>(y.shape().back());
  each_row(mask_, y, inputs[1], [&](int64_t row, bool hidden) {
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
  return inputs[0];
}

void AllVisible::gradients(GradientBuilder& step) const { step.give(0, step.gradient()); }

std::string AllVisible::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return inputs[0];
}

}  // namespace attnscope
