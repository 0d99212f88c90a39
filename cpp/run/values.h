#pragma once

// Numbers of a tensor. xtensor owns memory and shape; kernels get the pointer.

#include <vector>
#include <xtensor/containers/xarray.hpp>

#include "../graph/tensor.h"

namespace attnscope {

using Values = xt::xarray<float>;

/// Uninitialized values of this shape.
Values make_values(const Shape& shape);

Shape shape_of(const Values& values);

}  // namespace attnscope
