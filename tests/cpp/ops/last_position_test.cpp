#include "../../../cpp/ops/last_position.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

Array sequences() { return array({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); }

}  // namespace

TEST_CASE("without a mask it is the last position") {
  const Array x = sequences();
  CHECK(values(LastPosition().forward({&x})) == std::vector<double>{5, 6, 11, 12});
}

TEST_CASE("padding at the end moves it forward, gaps do not, and of nothing it is zeros") {
  const Array x = sequences();
  const Array padded = array({2, 3}, {0, kHidden, kHidden, kHidden, 0, 0});
  CHECK(values(LastPosition().forward({&x, &padded})) == std::vector<double>{1, 2, 11, 12});
  const Array nothing = array({3}, {kHidden, kHidden, kHidden});
  CHECK(values(LastPosition().forward({&x, &nothing})) == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("a float mask that hides nothing changes nothing") {
  const Array x = sequences(), mask = array({1, 3}, {5, -5, -1e9});
  CHECK(values(LastPosition().forward({&x, &mask})) == std::vector<double>{5, 6, 11, 12});
}

TEST_CASE("its gradient goes to the position that was taken alone") {
  const Array dy = array({2, 2}, {1, 2, 3, 4});
  const Array mask = array({2, 3}, {0, 0, kHidden, kHidden, kHidden, kHidden});
  CHECK(values(LastPositionGradient(3).forward({&dy, &mask})) ==
        std::vector<double>{0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0});
}
