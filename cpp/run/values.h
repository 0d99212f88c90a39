#pragma once

// Numbers of a tensor. xtensor owns memory and shape; kernels get the pointer.

#include <vector>
#include <xtensor/containers/xarray.hpp>

#include "../graph/tensor.h"

namespace attnscope {

using Values = xt::xarray<float>;

/// Uninitialized values of this shape.
inline Values make_values(const Shape& shape) {
  return Values::from_shape(std::vector<size_t>(shape.begin(), shape.end()));
}

inline Shape shape_of(const Values& values) {
  return Shape(values.shape().begin(), values.shape().end());
}

}  // namespace attnscope
