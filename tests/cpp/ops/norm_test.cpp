#include "../../../cpp/ops/norm.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("a layer norm centres each row, divides by its deviation, weighs and shifts") {
  const Array x = array({2, 2}, {1, 3, 10, 10}), weight = array({2}, {2, 3}),
              bias = array({2}, {10, 20});
  // The first row's mean is 2 and its variance 1, which eps = 3 makes 4; the second has none.
  check_values(LayerNorm(3).forward({&x, &weight, &bias}), {9, 21.5, 10, 20});
  check_values(LayerNorm(3).forward({&x, &weight}), {-1, 1.5, 0, 0});
}

TEST_CASE("an RMS norm divides by the root of the mean square and does not centre") {
  const Array x = array({2, 2}, {1, 7, 0, 0}), weight = array({2}, {1, 2});
  // The first row's mean square is 25, which eps = 75 makes 100.
  check_values(RmsNorm(75).forward({&x, &weight}), {0.1, 1.4, 0, 0});
}

TEST_CASE("a norm whose weights are stored less one adds it to them") {
  const Array x = array({1, 2}, {1, 7}), weight = array({2}, {0, 1}), bias = array({2}, {10, 20});
  // The mean is 4 and the variance 9, which eps = 16 makes 25.
  check_values(LayerNorm(16, true).forward({&x, &weight, &bias}), {9.4, 21.2});
  check_values(RmsNorm(75, true).forward({&x, &weight}), {0.1, 1.4});
}

TEST_CASE("what norms cost and keep is counted by element and by row") {
  const Shape x{3, 8}, features{8};
  const InputShapes plain{&x, &features}, biased{&x, &features, &features};
  CHECK(LayerNorm(1).cost(plain, x).elementwise() == 6 * 24);
  CHECK(LayerNorm(1).cost(biased, x).elementwise() == 7 * 24);
  CHECK(RmsNorm(1).cost(plain, x).elementwise() == 4 * 24);
  CHECK(RmsNorm(1, true).cost(plain, x).elementwise() == 4 * 24 + 8);
  CHECK(LayerNorm(1, true).cost(biased, x).elementwise() == 7 * 24 + 8);
  CHECK(LayerNorm(1).saved_for_backward(biased, x).elements == 2 * 3);
  CHECK(LayerNorm(1, true).saved_for_backward(biased, x).elements == 2 * 3 + 8);
  CHECK(RmsNorm(1).saved_for_backward(plain, x).bytes == 4 * (24 + 3));
  CHECK(RmsNorm(1).saved_for_backward(plain, x).elements == 0);
  CHECK(RmsNorm(1, true).saved_for_backward(plain, x).elements == 8);
}
