#include "../../../cpp/ops/concat.h"

#include "../../../cpp/ops/pairs.h"
#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("concat puts tensors after each other along its dimension") {
  const Array a = array({1, 2, 1}, {1, 2}), b = array({1, 2, 2}, {3, 4, 5, 6});
  CHECK(values(Concat(2).forward({&a, &b})) == std::vector<double>{1, 3, 4, 2, 5, 6});
  const Array row = array({1, 1, 2}, {7, 8});
  CHECK(values(Concat(1).forward({&row, &b})) == std::vector<double>{7, 8, 3, 4, 5, 6});
  CHECK(values(Concat(1).forward({&b, &row, &row})) == std::vector<double>{3, 4, 5, 6, 7, 8, 7, 8});
}

TEST_CASE("slice takes features, first_position each sequence's first row") {
  const Array x = array({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(values(Slice(Slice::kLast, 1, 3).forward({&x})) ==
        std::vector<double>{2, 3, 5, 6, 8, 9, 11, 12});
  CHECK(values(FirstPosition().forward({&x})) == std::vector<double>{1, 2, 3, 7, 8, 9});
}

TEST_CASE("append_row gives each sequence the same further row, append_zeros each head zeros") {
  const Array x = array({2, 1, 2}, {1, 2, 3, 4}), row = array({1, 1, 2}, {8, 9});
  CHECK(values(AppendRow().forward({&x, &row})) == std::vector<double>{1, 2, 8, 9, 3, 4, 8, 9});
  const Array heads = array({1, 2, 1, 2}, {1, 2, 3, 4});
  CHECK(values(AppendZeros().forward({&heads})) == std::vector<double>{1, 2, 0, 0, 3, 4, 0, 0});
}

TEST_CASE("pairs are every query with every key, summed or one after the other") {
  const Array query = array({1, 2, 1}, {1, 2}), key = array({1, 3, 1}, {10, 20, 30});
  CHECK(values(PairSum().forward({&query, &key})) == std::vector<double>{11, 21, 31, 12, 22, 32});
  const Array both = array({2, 1, 1}, {1, 2}), keys = array({2, 1, 1}, {10, 20});
  CHECK(values(PairSum().forward({&both, &keys})) == std::vector<double>{11, 22});
  CHECK(values(PairConcat().forward({&query, &key})) ==
        std::vector<double>{1, 10, 1, 20, 1, 30, 2, 10, 2, 20, 2, 30});
  CHECK(values(PairConcat().forward({&both, &keys})) == std::vector<double>{1, 10, 2, 20});
}

TEST_CASE("tensors that cannot be joined are refused with both shapes") {
  const Shape x{1, 2, 3}, y{2, 2, 3}, wide{1, 2, 4};
  CHECK_THROWS_WITH(PairSum().output_shape({&x, &wide}),
                    "pair_sum: (1, 2, 3) does not fit (1, 2, 4)");
  CHECK_THROWS_WITH(PairConcat().output_shape({&x, &y}),
                    "pair_concat: (1, 2, 3) does not fit (2, 2, 3)");
  CHECK(PairConcat().output_shape({&x, &wide}) == Shape{1, 2, 2, 7});
  CHECK_THROWS_WITH(Concat(1).output_shape({&x, &wide}),
                    "concat: (1, 2, 4) does not fit (1, 2, 3) along dimension 1");
  CHECK_THROWS_WITH(Slice(Slice::kLast, 2, 4).output_shape({&x}),
                    "slice: (1, 2, 3) has no indices 2 to 4 in dimension 2");
  CHECK_THROWS_WITH(Slice(1, 1, 3).output_shape({&x}),
                    "slice: (1, 2, 3) has no indices 1 to 3 in dimension 1");
  CHECK_THROWS_WITH(AppendRow().output_shape({&x, &wide}),
                    "append_row: (1, 2, 4) does not fit (1, 2, 3)");
}
