#include "heads.h"

#include <stdexcept>

namespace attnscope {

Shape SplitHeads::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 3 || x[2] % num_heads_ != 0) {
    throw std::logic_error("split_heads: " + to_string(x) + " has no " +
                           std::to_string(num_heads_) + " heads");
  }
  return {x[0], num_heads_, x[1], x[2] / num_heads_};
}

Array SplitHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), T = x.shape(1), H = static_cast<size_t>(num_heads_),
               D = x.shape(2) / H;
  Array y = Array::from_shape({B, H, T, D});
  for (size_t b = 0; b < B; ++b) {
    for (size_t h = 0; h < H; ++h) {
      for (size_t t = 0; t < T; ++t) {
        for (size_t d = 0; d < D; ++d) y(b, h, t, d) = x(b, t, h * D + d);
      }
    }
  }
  return y;
}

std::string SplitHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return inputs[0] + ".unflatten(-1, (" + std::to_string(num_heads_) + ", -1)).transpose(1, 2)";
}

Shape MergeHeads::output_shape(const InputShapes& inputs) const {
  const Shape& x = *inputs[0];
  if (x.size() != 4) throw std::logic_error("merge_heads: " + to_string(x) + " has no heads");
  return {x[0], x[2], x[1] * x[3]};
}

Array MergeHeads::forward(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  const size_t B = x.shape(0), H = x.shape(1), T = x.shape(2), D = x.shape(3);
  Array y = Array::from_shape({B, T, H * D});
  for (size_t b = 0; b < B; ++b) {
    for (size_t h = 0; h < H; ++h) {
      for (size_t t = 0; t < T; ++t) {
        for (size_t d = 0; d < D; ++d) y(b, t, h * D + d) = x(b, h, t, d);
      }
    }
  }
  return y;
}

std::string MergeHeads::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return inputs[0] + ".transpose(1, 2).flatten(2)";
}

}  // namespace attnscope
