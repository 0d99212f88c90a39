#include "../../../cpp/ops/positions.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// What a constant, which reads no input, makes.
Array made(const SingleOp& op) { return op.forward({nullptr}); }

/// The bucket of a key `distance` after the query, read from a table that holds its own indices.
double bucket(int64_t distance, bool both_ways) {
  Array table = Array::from_shape({size_t{32}, size_t{1}});
  for (size_t i = 0; i < 32; ++i) table.data()[i] = static_cast<double>(i);
  const int64_t position = std::max<int64_t>(0, -distance);
  const Array bias =
      RelativeBias(1, position + distance + 1, position, both_ways).forward({&table});
  return bias.data()[position + distance];
}

}  // namespace

TEST_CASE("sinusoids alternate sines and cosines of wavelengths to 10000") {
  check_values(made(SinusoidalTable(2, 4, 1)),
               {std::sin(1.0), std::cos(1.0), std::sin(0.01), std::cos(0.01),  //
                std::sin(2.0), std::cos(2.0), std::sin(0.02), std::cos(0.02)});
}

TEST_CASE("a rotary table holds each angle twice, its positions starting at the offset") {
  const auto row = [](double (*f)(double), double a, double b) {
    return std::vector<double>{f(a), f(b), f(a), f(b)};
  };
  std::vector<double> expected;
  for (double (*f)(double) :
       {static_cast<double (*)(double)>(std::cos), static_cast<double (*)(double)>(std::sin)}) {
    for (const double position : {3.0, 4.0}) {
      for (const double one : row(f, position, position / 10)) expected.push_back(one);
    }
  }
  check_values(made(RotaryTable(2, 4, 100, 3)), expected);
}

TEST_CASE("a quarter turn moves the first half to the second, interleaved or not") {
  const Array x = array({1, 1, 4}, {1, 2, 3, 4});
  const Array quarter = array({2, 1, 4}, {0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(values(Rotate().forward({&x, &quarter})) == std::vector<double>{-3, -4, 1, 2});
  CHECK(values(Rotate(true).forward({&x, &quarter})) == std::vector<double>{-2, -4, 1, 3});
}

TEST_CASE("features past those of the table stay as they are, there and back") {
  const Array x = array({1, 1, 6}, {1, 2, 3, 4, 5, 6});
  const Array quarter = array({2, 1, 4}, {0, 0, 0, 0, 1, 1, 1, 1});
  const Array halves = Rotate().forward({&x, &quarter});
  CHECK(values(halves) == std::vector<double>{-3, -4, 1, 2, 5, 6});
  CHECK(values(Rotate(false, true).forward({&halves, &quarter})) == values(x));
  const Array neighbours = Rotate(true).forward({&x, &quarter});
  CHECK(values(neighbours) == std::vector<double>{-2, -4, 1, 3, 5, 6});
  CHECK(values(Rotate(true, true).forward({&neighbours, &quarter})) == values(x));
}

TEST_CASE("each position turns by its own row of the table, and each head by the same") {
  const Array x = array({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Array half_turn_second = array({2, 2, 2}, {1, 1, -1, -1, 0, 0, 0, 0});
  CHECK(values(Rotate().forward({&x, &half_turn_second})) ==
        std::vector<double>{1, 2, -3, -4, 5, 6, -7, -8});
}

TEST_CASE("ALiBi takes distance times a power of two, from another slope in each head") {
  check_values(made(AlibiBias(2, 1, 3, 1)), {-0x1p-4, 0, -0x1p-4, -0x1p-8, 0, -0x1p-8});
  // Of three heads the third has the first slope of four.
  check_values(made(AlibiBias(3, 1, 2, 1)), {-0x1p-4, 0, -0x1p-8, 0, -0x1p-2, 0});
}

TEST_CASE("relative distances fall into T5's buckets: exact, then logarithmic to 128") {
  struct Case {
    int64_t distance;
    double one_way, both_ways;
  };
  // 16 + 16 log(d / 16) / log(8) one way; 8 + 8 log(d / 8) / log(16) both ways, from 16 on for keys
  // after the query.
  const Case cases[] = {{0, 0, 0},     {-1, 1, 1},     {-7, 7, 7},     {-8, 8, 8},
                        {-12, 12, 9},  {-15, 15, 9},   {-16, 16, 10},  {-20, 17, 10},
                        {-64, 26, 14}, {-127, 31, 15}, {-128, 31, 15}, {-5000, 31, 15},
                        {1, 0, 17},    {8, 0, 24},     {5000, 0, 31}};
  for (const auto& [distance, one_way, both_ways] : cases) {
    CAPTURE(distance);
    CHECK(bucket(distance, false) == one_way);
    CHECK(bucket(distance, true) == both_ways);
  }
}

TEST_CASE("a relative bias has a table's column for each head") {
  Array table = Array::from_shape({size_t{32}, size_t{2}});
  for (size_t i = 0; i < 64; ++i) table.data()[i] = static_cast<double>(i);
  CHECK(values(RelativeBias(1, 2, 1, false).forward({&table})) == std::vector<double>{2, 0, 3, 1});
}

TEST_CASE("odd features cannot turn, and a table must have a row for each bucket") {
  const Shape odd{1, 1, 3}, table{2, 1, 3}, buckets{31, 2};
  CHECK_THROWS_WITH(Rotate().output_shape({&odd, &table}),
                    "rotate: (1, 1, 3) does not fit (2, 1, 3)");
  CHECK_THROWS_WITH(RelativeBias(1, 1, 0, true).output_shape({&buckets}),
                    "relative_bias: (31, 2) has not one row for each bucket");
}
