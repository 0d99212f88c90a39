#include "../../../cpp/ops/each_sequence.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("each sequence gets the same rows, whatever else the sequences are") {
  const Array rows = array({2, 1}, {3, 4}), x = array({3, 1}, {7, 8, 9});
  const Array y = EachSequence().forward({&rows, &x});
  CHECK(y.shape() == Array::shape_type{3, 2, 1});
  CHECK(values(y) == std::vector<double>{3, 4, 3, 4, 3, 4});
}
