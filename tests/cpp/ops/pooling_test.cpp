#include "../../../cpp/ops/pooling.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

Array sequences() { return array({2, 2, 2}, {1, -2, 3, -4, 5, -6, 7, -8}); }

}  // namespace

TEST_CASE("without a mask every position is pooled") {
  const Array x = sequences();
  CHECK(values(MeanPool().forward({&x, nullptr})) == std::vector<double>{2, -3, 6, -7});
  CHECK(values(MaxPool().forward({&x, nullptr})) == std::vector<double>{3, -2, 7, -6});
}

TEST_CASE("hidden positions are left out, and a sequence of them gives zeros") {
  const Array x = sequences();
  const Array mask = array({2, 2}, {0, kHidden, kHidden, kHidden});
  CHECK(values(MeanPool().forward({&x, &mask})) == std::vector<double>{1, -2, 0, 0});
  CHECK(values(MaxPool().forward({&x, &mask})) == std::vector<double>{1, -2, 0, 0});
}

TEST_CASE("one row of a mask serves every sequence") {
  const Array x = sequences();
  for (const std::vector<size_t>& shape : {std::vector<size_t>{2}, std::vector<size_t>{1, 2}}) {
    const Array mask = array(shape, {kHidden, 0});
    CHECK(values(MeanPool().forward({&x, &mask})) == std::vector<double>{3, -4, 7, -8});
    CHECK(values(MaxPool().forward({&x, &mask})) == std::vector<double>{3, -4, 7, -8});
  }
}

TEST_CASE("a float mask weighs the mean as scores do, and hides nothing of the maximum") {
  const Array x = sequences();
  const Array mask = array({2, 2}, {0, std::log(3.0), 1000, 1000 + std::log(3.0)});
  const Array mean = MeanPool().forward({&x, &mask});
  const std::vector<double> expected{2.5, -3.5, 6.5, -7.5};
  // log and exp of 1000 + log 3 lose three digits
  for (size_t i = 0; i < 4; ++i) check_close(mean.data()[i], expected[i], 1e-12);
  CHECK(values(MaxPool().forward({&x, &mask})) == std::vector<double>{3, -2, 7, -6});
}

TEST_CASE("NaN is not lost in a maximum") {
  const Array x = array({1, 3, 1}, {1, NAN, 2});
  CHECK(std::isnan(MaxPool().forward({&x, nullptr}).data()[0]));
}
