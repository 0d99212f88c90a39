#pragma once

#include "../graph/op.h"

namespace attnscope {

/// An operation that makes each number from the number in its place: y = f(x), of any shape. A new
/// one says its function, what it costs and saves, and its text; with a loop that is registered as
/// its kernel (run/lowering.h), it may stand after a product, between queries and keys and their
/// mask, and in a scorer, and is done there while the numbers are in the cache.
class Elementwise : public Op {
 public:
  /// f(x) in double precision.
  virtual double apply(double x) const = 0;

  Shape output_shape(const InputShapes& inputs) const final { return *inputs[0]; }
  Array forward(const std::vector<const Array*>& inputs) const final {
    Array y = *inputs[0];
    for (double& value : y) value = apply(value);
    return y;
  }
};

}  // namespace attnscope
