// Each operation by itself: small numbers that can be checked by hand, and the graphs it refuses.

#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/embedding.h"
#include "../../../cpp/ops/heads.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/matmul.h"
#include "../../../cpp/ops/softmax.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/ops/weighted_sum.h"
#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

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

TEST_CASE("a matrix serves every batch of a product") {
  const Array a = array({2, 1, 2}, {1, 2, 3, 4}), b = array({2, 1}, {10, 100});
  CHECK(values(Matmul(Matmul::Right::kPlain).forward({&a, &b})) == std::vector<double>{210, 430});
}

TEST_CASE("a sum spreads its second operand over the first, a product takes equal shapes") {
  const Array a = array({2, 1, 2}, {1, 2, 3, 4}), whole = array({2, 1, 2}, {5, 6, 7, 8}),
              row = array({2}, {10, 20}), one_a_batch = array({2, 1, 1}, {10, 20});
  CHECK(values(Add().forward({&a, &whole})) == std::vector<double>{6, 8, 10, 12});
  CHECK(values(Add().forward({&a, &row})) == std::vector<double>{11, 22, 13, 24});
  CHECK(values(Add().forward({&a, &one_a_batch})) == std::vector<double>{11, 12, 23, 24});
  CHECK(values(Multiply().forward({&a, &whole})) == std::vector<double>{5, 12, 21, 32});
}

TEST_CASE("an embedding gives each token its row of the table") {
  const Array tokens = array({1, 3}, {2, 0, 2}), table = array({3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(values(Embedding().forward({&tokens, &table})) == std::vector<double>{5, 6, 1, 2, 5, 6});
}

TEST_CASE("activations are what their formulas give at -1, 0 and 1") {
  // Φ(1) = 0.841344746068543, sigmoid(1) = 0.731058578630005; the tanh form of gelu by hand.
  struct Case {
    const char* name;
    double at_minus_1, at_0, at_1;
  };
  const double silu = 1 / (1 + std::exp(-1.0)), phi = 0.5 * std::erfc(-std::sqrt(0.5));
  const double by_tanh = 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * 1.044715));
  const Case cases[] = {{"tanh", -std::tanh(1.0), 0, std::tanh(1.0)},
                        {"relu", 0, 0, 1},
                        {"sigmoid", 1 - silu, 0.5, silu},
                        {"gelu", phi - 1, 0, phi},
                        {"gelu_tanh", by_tanh - 1, 0, by_tanh},
                        {"silu", silu - 1, 0, silu}};
  const Array x = array({3}, {-1, 0, 1});
  for (const Case& one : cases) {
    CAPTURE(one.name);
    CHECK(activation_named(one.name)->name() == one.name);
    const std::vector<Array> outputs = activation_named(one.name)->forward_all({&x});
    REQUIRE(outputs.size() == 1);
    check_values(outputs[0], {one.at_minus_1, one.at_0, one.at_1});
  }
  CHECK(phi == doctest::Approx(0.841344746068543).epsilon(1e-12));
  CHECK_THROWS_WITH(activation_named("none"), "unknown activation none");
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

TEST_CASE("heads are repeated side by side, and averaged") {
  const Array heads = array({1, 2, 1, 2}, {1, 2, 3, 5});
  CHECK(values(RepeatHeads(2).forward({&heads})) == std::vector<double>{1, 2, 1, 2, 3, 5, 3, 5});
  CHECK(values(MeanHeads().forward({&heads})) == std::vector<double>{2, 3.5});
}

TEST_CASE("scale, squeeze and weighted_sum do what their names say") {
  const Array x = array({1, 2, 1}, {0, 1}), weights = array({1, 2}, {0.25, 0.75});
  CHECK(values(Scale::by_root_of(4).forward({&x})) == std::vector<double>{0, 0.5});
  CHECK(Squeeze().forward({&x}).dimension() == 2);
  CHECK(values(WeightedSum().forward({&weights, &x})) == std::vector<double>{0.75});
  CHECK(values(Weigh().forward({&weights, &x})) == std::vector<double>{0, 0.75});
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

TEST_CASE("what a band leaves is counted as if each pair were looked at") {
  for (const bool is_causal : {false, true}) {
    for (const std::optional<int64_t> window : {std::optional<int64_t>(), {1}, {3}, {40}}) {
      for (const int64_t offset : {-20, -3, 0, 2, 9, 50}) {
        for (const int64_t tail : {0, 2}) {
          for (const auto& [T, S] : {std::pair<int64_t, int64_t>{1, 3}, {7, 5}, {5, 13}, {9, 9}}) {
            const Band band{is_causal, window, offset, tail};
            int64_t pairs = 0;
            for (int64_t t = 0; t < T; ++t) {
              const auto [first, end] = band.visible(t, S);
              pairs += end - first + tail;
            }
            CAPTURE(offset);
            CHECK(band.visible_pairs(T, S) == Count{pairs});
          }
        }
      }
    }
  }
}

TEST_CASE("products with scores count those that the band leaves beside all that are made") {
  const Shape query{2, 6, 4}, key{2, 6, 4}, value{2, 6, 3}, scores{2, 6, 6}, output{2, 6, 3};
  const Band causal{.is_causal = true};
  const Cost dot = Matmul(Matmul::Right::kTransposed, causal).cost({&query, &key}, scores);
  CHECK(dot.macs() == 2 * 6 * 6 * 4);
  CHECK(dot[Operation::kVisibleMac] == 2 * 21 * 4);
  const Cost weigh = Matmul(Matmul::Right::kPlain, causal).cost({&scores, &value}, output);
  CHECK(weigh.macs() == 2 * 6 * 6 * 3);
  CHECK(weigh[Operation::kVisibleMac] == 2 * 21 * 3);
  CHECK(weigh.by(kFlops) == 2 * weigh.macs());
  CHECK(weigh.elementwise() == 0);
}
