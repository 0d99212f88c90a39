// Each operation by itself: small numbers that can be checked by hand, and the graphs it refuses.

#include <limits>

#include "../../../cpp/ops/heads.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/matmul.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/softmax.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/weighted_sum.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

Array array(std::vector<size_t> shape, std::vector<double> values) {
  Array result = Array::from_shape(shape);
  REQUIRE(result.size() == values.size());
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

std::vector<double> values(const Array& array) { return {array.begin(), array.end()}; }

}  // namespace

TEST_CASE("linear multiplies by the transposed weight and adds the bias") {
  const Array x = array({2, 2}, {1, 2, 3, 4}), weight = array({1, 2}, {10, 100}),
              bias = array({1}, {5});
  CHECK(values(Linear().forward({&x, &weight, &bias})) == std::vector<double>{215, 435});
  CHECK(values(Linear().forward({&x, &weight})) == std::vector<double>{210, 430});
}

TEST_CASE("matmul multiplies plain and transposed, batch by batch") {
  const Array a = array({2, 1, 2}, {1, 2, 3, 4});
  const Array plain = array({2, 2, 1}, {10, 100, 1000, 10000});
  const Array transposed = array({2, 1, 2}, {10, 100, 1000, 10000});
  CHECK(values(Matmul(Matmul::Right::kPlain).forward({&a, &plain})) ==
        std::vector<double>{210, 43000});
  CHECK(values(Matmul(Matmul::Right::kTransposed).forward({&a, &transposed})) ==
        std::vector<double>{210, 43000});
}

TEST_CASE("softmax gives a row with nothing visible zeros, and its mask serves every batch") {
  const Array scores = array({2, 1, 2}, {0, 0, 5, 5});
  const Array half = array({1, 2}, {0, kHidden}), none = array({1, 2}, {kHidden, kHidden});
  CHECK(values(Softmax().forward({&scores, nullptr})) == std::vector<double>{0.5, 0.5, 0.5, 0.5});
  CHECK(values(Softmax().forward({&scores, &half})) == std::vector<double>{1, 0, 1, 0});
  CHECK(values(Softmax().forward({&scores, &none})) == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("splitting heads and merging them gives back the features") {
  const Array x = array({1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Array heads = SplitHeads(2).forward({&x});
  CHECK(values(heads) == std::vector<double>{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK(values(MergeHeads().forward({&heads})) == values(x));
}

TEST_CASE("tanh, scale, squeeze and weighted_sum do what their names say") {
  const Array x = array({1, 2, 1}, {0, 1}), weights = array({1, 2}, {0.25, 0.75});
  CHECK(values(activation_named("tanh")->forward({&x})) == std::vector<double>{0, std::tanh(1.0)});
  CHECK(values(Scale::by_root_of(4).forward({&x})) == std::vector<double>{0, 0.5});
  CHECK(Squeeze().forward({&x}).dimension() == 2);
  CHECK(values(WeightedSum().forward({&weights, &x})) == std::vector<double>{0.75});
}

TEST_CASE("an operation refuses shapes that do not fit, and names both") {
  const Shape x{2, 3}, weight{4, 5}, mask{2}, cube{1, 2, 3};
  CHECK_THROWS_WITH(Linear().output_shape({&x, &weight}),
                    "linear: x (2, 3) does not fit weight (4, 5)");
  CHECK_THROWS_WITH(Matmul(Matmul::Right::kPlain).output_shape({&x, &weight}),
                    "matmul: (2, 3) does not fit (4, 5)");
  CHECK_THROWS_WITH(Softmax().output_shape({&x, &mask}),
                    "softmax: mask (2,) does not fit scores (2, 3)");
  CHECK_THROWS_WITH(Squeeze().output_shape({&x}), "squeeze: the last dimension of (2, 3) is not 1");
  CHECK_THROWS_WITH(SplitHeads(2).output_shape({&cube}), "split_heads: (1, 2, 3) has no 2 heads");
  CHECK_THROWS_WITH(MergeHeads().output_shape({&cube}), "merge_heads: (1, 2, 3) has no heads");
  CHECK_THROWS_WITH(WeightedSum().output_shape({&x, &cube}),
                    "weighted_sum: weights (2, 3) do not fit values (1, 2, 3)");
}
