#include "values.h"

namespace attnscope {

Values make_values(const Shape& shape) {
  return Values::from_shape(std::vector<size_t>(shape.begin(), shape.end()));
}

Shape shape_of(const Values& values) { return Shape(values.shape().begin(), values.shape().end()); }

}  // namespace attnscope
