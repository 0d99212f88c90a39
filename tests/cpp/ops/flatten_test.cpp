#include "../../../cpp/ops/flatten.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("positions stand side by side, and hidden ones are zeros, NaN among them") {
  const Array x = array({2, 2, 2}, {1, 2, NAN, 4, 5, 6, 7, 8});
  const Array mask = array({2, 2}, {0, kHidden, -3, 0});
  const Array y = Flatten().forward({&x, &mask});
  CHECK(y.shape() == Array::shape_type{2, 4});
  CHECK(values(y) == std::vector<double>{1, 2, 0, 0, 5, 6, 7, 8});
}

TEST_CASE("its gradient is apart again, zeros where a position was hidden") {
  const Array dy = array({1, 4}, {1, 2, 3, 4}), mask = array({2}, {kHidden, 0});
  CHECK(values(FlattenGradient({1, 2, 2}).forward({&dy, &mask})) ==
        std::vector<double>{0, 0, 3, 4});
}
