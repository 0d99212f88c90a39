#include "sequence_order.h"

#include <algorithm>
#include <utility>

#include "../graph/gradients.h"

namespace attnscope {

Shape SwapFirstTwo::output_shape(const InputShapes& inputs) const {
  Shape shape = *inputs[0];
  if (shape.size() < 2) wrong_graph("transpose: {} has no two dimensions", {shape});
  std::swap(shape[0], shape[1]);
  return shape;
}

Array SwapFirstTwo::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  std::vector<size_t> shape(x.shape().begin(), x.shape().end());
  std::swap(shape[0], shape[1]);
  Array y = make_array(shape);
  const size_t rows = shape[1], columns = shape[0], row = x.size() / (rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      std::copy_n(x.data() + (i * columns + j) * row, row, y.data() + (j * rows + i) * row);
    }
  }
  return y;
}

void SwapFirstTwo::gradients(GradientBuilder& step) const {
  step.give(0, step.add<SwapFirstTwo>({step.gradient()}, step.shape(step.gradient()), false));
}

std::string SwapFirstTwo::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.transpose(0, 1){}",
                {inputs[0], aliasing_ == Aliasing::kNone ? ".contiguous()" : ""});
}

Array Zeros::forward(const std::vector<const Array*>&) const {
  Array zeros = make_array({shape_.begin(), shape_.end()});
  zeros.fill(0.0);
  return zeros;
}

std::string Zeros::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.new_zeros{}", {inputs[0], shape_});
}

}  // namespace attnscope
