#pragma once

// Small arrays, written out and read back.

#include <algorithm>
#include <limits>

#include "../../../cpp/graph/op.h"
#include "../support.h"

namespace attnscope::testing {

inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

inline Array array(std::vector<size_t> shape, std::vector<double> values) {
  Array result = Array::from_shape(shape);
  REQUIRE(result.size() == values.size());
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

inline std::vector<double> values(const Array& array) { return {array.begin(), array.end()}; }

/// Each value by the formulas that its own test names, to a few roundings of double.
inline void check_values(const Array& actual, const std::vector<double>& expected) {
  constexpr double kRounding = 1e-14;
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    check_close(actual.data()[i], expected[i], kRounding);
  }
}

}  // namespace attnscope::testing
