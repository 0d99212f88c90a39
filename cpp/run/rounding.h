#pragma once

// What a number format does to values: round to it, and back to float32.

#include "../graph/dtype.h"
#include "values.h"

namespace attnscope {

/// Rounds in place, to the nearest value of the format, ties to even.
///
/// float16 overflows to infinity past 65504, as PyTorch's tensor.half() does. int8 is symmetric and
/// per row of the last dimension: a row's largest magnitude becomes 127, each value a multiple of
/// its 127th part. A row of zeros stays, and so does one below 127 times the smallest float32.
void round_to(Dtype dtype, Values& values);

/// How far `actual` is from `expected`, over all elements.
struct RoundingError {
  double max_absolute = 0;  // largest |actual - expected|
  double relative = 0;      // |actual - expected| / |expected|, Euclidean norms; 0 for equal values
};
RoundingError rounding_error(const Values& actual, const Values& expected);

}  // namespace attnscope
