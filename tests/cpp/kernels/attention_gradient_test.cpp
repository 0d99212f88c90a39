#include <algorithm>
#include <bit>
#include <limits>

#include "../../../cpp/kernels/attention.h"
#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
// Exponentials within 3 ULP, scores of at most 70 products, two more products and a difference.
constexpr double kTolerance = 8e-6;
constexpr int64_t kGap = 3;  // every stride is larger than a row
constexpr int64_t kHeads = 2;

size_t at(int64_t index) { return static_cast<size_t>(index); }

/// A step before the softmax, as kernels have it and in double precision: y = x + p x².
void bend(const float* x, int64_t length, float p, float* y) {
  for (int64_t i = 0; i < length; ++i) y[i] = x[i] + p * x[i] * x[i];
}
void bend_back(const float* dy, const float* x, int64_t length, float p, float* dx) {
  for (int64_t i = 0; i < length; ++i) dx[i] = dy[i] * (1 + 2 * p * x[i]);
}
double bent(double x, double p) { return x + p * x * x; }

/// Another one, whose gradient is computed from what it makes: y = tanh(p x).
void squash(const float* x, int64_t length, float p, float* y) {
  for (int64_t i = 0; i < length; ++i) y[i] = std::tanh(p * x[i]);
}
void squash_back(const float* dy, const float* y, int64_t length, float p, float* dx) {
  for (int64_t i = 0; i < length; ++i) dx[i] = dy[i] * p * (1 - y[i] * y[i]);
}

/// Two heads that share keys and values.
struct Heads {
  int64_t T, S, D, V;
  std::vector<float> query, key, value, bias, mask, upper;
  std::vector<kernels::KeyRange> visible;
  float scale = 0.3f;
  bool has_bias = false, has_mask = false;
  float bend_by = 0, squash_by = 0;  // 0: there is no such step

  Heads(int64_t queries, int64_t keys, int64_t features, int64_t value_features)
      : T(queries),
        S(keys),
        D(features),
        V(value_features),
        query(random_floats(kHeads * T * (D + kGap), 1)),
        key(random_floats(S * (D + kGap), 2)),
        value(random_floats(S * (V + kGap), 3)),
        bias(random_floats(kHeads * T * S, 4)),
        mask(random_floats(S, 5)),  // the same for every query
        upper(random_floats(kHeads * T * (V + kGap), 6)),
        visible(at(T), {0, S}) {}

  /// The gradients of Σ upper · output, rows with a gap behind them.
  template <class Number>
  struct Gradients {
    std::vector<Number> query, key, value;
  };

  /// By plain loops in double precision.
  Gradients<double> plain(int64_t h) const {
    Gradients<double> made{std::vector<double>(at(T * D)), std::vector<double>(at(S * D)),
                           std::vector<double>(at(S * V))};
    const float* q = query.data() + h * T * (D + kGap);
    for (int64_t t = 0; t < T; ++t) {
      const auto [first, end] = visible[at(t)];
      std::vector<double> weights(at(S)), slopes(at(S)), by_weights(at(S));
      double maximum = kHidden, sum = 0.0, along = 0.0;
      for (int64_t s = first; s < end; ++s) {
        double product = 0.0, slope = scale;
        for (int64_t d = 0; d < D; ++d) {
          product += static_cast<double>(q[t * (D + kGap) + d]) * key[at(s * (D + kGap) + d)];
        }
        if (bend_by != 0) {
          slope *= 1 + 2.0 * bend_by * product;
          product = bent(product, bend_by);
        }
        if (squash_by != 0) {
          product = std::tanh(squash_by * product);
          slope *= squash_by * (1 - product * product);
        }
        weights[at(s)] = scale * product + (has_bias ? bias[at((h * T + t) * S + s)] : 0.0) +
                         (has_mask ? mask[at(s)] : 0.0);
        slopes[at(s)] = slope;
        maximum = std::max(maximum, weights[at(s)]);
      }
      if (maximum == kHidden) continue;  // it sees nothing
      for (int64_t s = first; s < end; ++s) {
        sum += weights[at(s)] = std::exp(weights[at(s)] - maximum);
      }
      for (int64_t s = first; s < end; ++s) {
        weights[at(s)] /= sum;
        for (int64_t v = 0; v < V; ++v) {
          const double up = upper[at((h * T + t) * (V + kGap) + v)];
          by_weights[at(s)] += up * value[at(s * (V + kGap) + v)];
          made.value[at(s * V + v)] += weights[at(s)] * up;
        }
        along += weights[at(s)] * by_weights[at(s)];
      }
      for (int64_t s = first; s < end; ++s) {
        const double by_product = slopes[at(s)] * weights[at(s)] * (by_weights[at(s)] - along);
        for (int64_t d = 0; d < D; ++d) {
          made.query[at(t * D + d)] += by_product * key[at(s * (D + kGap) + d)];
          made.key[at(s * D + d)] += by_product * q[t * (D + kGap) + d];
        }
      }
    }
    return made;
  }

  struct Wanted {
    bool query = true, key = true, value = true;
  };

  /// By the kernels, whose backward pass goes over `keys` keys in each call.
  std::vector<Gradients<float>> run(Wanted wanted, int64_t keys = kernels::kGradientKeys) const {
    const kernels::AttentionSizes sizes{T, S, D, V};
    REQUIRE(!kernels::are_few(sizes, kHeads));
    std::vector<kernels::Map> before;
    std::vector<kernels::ScoreGradient> gradients;
    if (bend_by != 0) {
      before.push_back({bend, bend_by});
      gradients.push_back({{bend_back, bend_by}, false});
    }
    if (squash_by != 0) {
      before.push_back({squash, squash_by});
      gradients.push_back({{squash_back, squash_by}, true});
    }
    const kernels::ScoreSteps steps{.before = before, .scale = scale};

    std::vector<kernels::RowSoftmax> softmax(at(kHeads * T));
    std::vector<float> output(at(kHeads * T * (V + kGap)));
    std::vector<kernels::QueryHead> heads;
    for (int64_t h = 0; h < kHeads; ++h) {
      heads.push_back({.query = {query.data() + h * T * (D + kGap), D + kGap},
                       .bias = {has_bias ? bias.data() + h * T * S : nullptr, S},
                       .mask = {has_mask ? mask.data() : nullptr, 0},
                       .output = {output.data() + h * T * (V + kGap), V + kGap},
                       .weights = {nullptr, 0},
                       .softmax = softmax.data() + h * T});
    }
    const kernels::ConstRows keys_in_place{key.data(), D + kGap}, values{value.data(), V + kGap};
    std::vector<float> scratch(at(kernels::attention_scratch(
        sizes,
        {.heads = kHeads, .most_queries = T, .weights = false, .stored_in_16_bits = false})));
    kernels::attend(heads, {keys_in_place, values}, sizes, steps, visible.data(), 0, T,
                    scratch.data());

    scratch.assign(at(kernels::attention_gradient_scratch(sizes)), NAN);
    std::vector<Gradients<float>> all;
    for (int64_t h = 0; h < kHeads; ++h) {
      Gradients<float>& made = all.emplace_back(Gradients<float>{
          std::vector<float>(at(T * (D + kGap)), NAN), std::vector<float>(at(S * (D + kGap)), NAN),
          std::vector<float>(at(S * (V + kGap)), NAN)});
      const kernels::QueryHead& own = heads[at(h)];
      const kernels::HeadGradient head{
          .query = own.query,
          .key = keys_in_place,
          .value = values,
          .bias = own.bias,
          .mask = own.mask,
          .output = {own.output.data, V + kGap},
          .upper = {upper.data() + h * T * (V + kGap), V + kGap},
          .softmax = own.softmax,
          .query_gradient = {wanted.query ? made.query.data() : nullptr, D + kGap},
          .key_gradient = {wanted.key ? made.key.data() : nullptr, D + kGap},
          .value_gradient = {wanted.value ? made.value.data() : nullptr, V + kGap}};
      for (int64_t begin = 0; begin < S; begin += keys) {
        kernels::attend_backward(head, sizes, steps, gradients, visible.data(), begin,
                                 std::min(begin + keys, S), begin == 0, scratch.data());
      }
    }
    return all;
  }

  void check() const {
    const std::vector<Gradients<float>> made = run({});
    for (int64_t h = 0; h < kHeads; ++h) {
      CAPTURE(h);
      const Gradients<double> expected = plain(h);
      check_rows(made[at(h)].query, expected.query, D);
      check_rows(made[at(h)].key, expected.key, D);
      check_rows(made[at(h)].value, expected.value, V);
    }
  }

  /// To a small part of the largest: what cancels in a sum leaves the rounding of its terms. Behind
  /// each row nothing is written.
  static void check_rows(const std::vector<float>& actual, const std::vector<double>& expected,
                         int64_t columns) {
    double largest = 1e-3;
    for (const double one : expected) largest = std::max(largest, std::abs(one));
    const int64_t rows = static_cast<int64_t>(expected.size()) / columns;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t c = 0; c < columns; ++c) {
        const double difference =
            actual[at(row * (columns + kGap) + c)] - expected[at(row * columns + c)];
        CHECK(std::abs(difference) <= kTolerance * largest);
      }
      CHECK(std::isnan(actual[at(row * (columns + kGap) + columns)]));
    }
  }
};

/// The same bits, NaN included.
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
  });
}

bool untouched(const std::vector<float>& numbers) {
  return std::ranges::all_of(numbers, [](float number) { return std::isnan(number); });
}

}  // namespace

TEST_CASE("the gradients of attention equal plain loops around their blocks") {
  // Blocks have 60 queries and 120 keys; tiles 5 or 6 rows and 8 columns.
  const int64_t sizes[][4] = {{3, 1, 1, 1},     {5, 8, 4, 8},       {7, 17, 5, 9},  {60, 120, 8, 8},
                              {61, 121, 16, 7}, {130, 260, 12, 17}, {4, 257, 70, 5}};
  for (const auto& [T, S, D, V] : sizes) {
    CAPTURE(T);
    CAPTURE(S);
    Heads heads(T, S, D, V);
    heads.check();
    heads.has_bias = heads.has_mask = true;
    heads.check();
    heads.scale = -1.0f;
    heads.check();
    std::fill_n(heads.mask.begin(), std::min<int64_t>(S, 9), kHidden);
    heads.check();
  }
}

TEST_CASE("the gradients of attention equal plain loops for lengths around the lane count") {
  for (const int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17}) {
    CAPTURE(length);
    if (length > 1) Heads(8, length, 4, 4).check();  // of one key: below
    Heads(8, 4, length, 4).check();
    Heads(8, 4, 4, length).check();
    Heads(length + 2, 4, 4, 4).check();
  }
}

TEST_CASE("a key that stands alone has all the weight: no gradient goes through its scores") {
  constexpr double kRounding = 1e-6;  // of differences of equals, sums of four products below 1
  const Heads heads(8, 1, 4, 4);
  for (const auto& made : heads.run({})) {
    for (int64_t d = 0; d < 4; ++d) {
      check_close(made.key[at(d)], 0, kRounding);
      for (int64_t t = 0; t < 8; ++t) check_close(made.query[at(t * (4 + kGap) + d)], 0, kRounding);
    }
  }
}

TEST_CASE("the gradients of attention keep to what each query sees") {
  for (const auto& [T, S] : {std::pair<int64_t, int64_t>{130, 130}, {70, 300}}) {
    Heads heads(T, S, 16, 8);
    for (int64_t t = 0; t < T; ++t) heads.visible[at(t)] = {0, std::min(t + 1, S)};
    heads.check();
    for (int64_t t = 0; t < T; ++t) {
      heads.visible[at(t)] = {std::max<int64_t>(0, t - 20), std::min(t + 1, S)};
    }
    heads.check();
    heads.visible[5] = heads.visible[64] = {0, 0};
    heads.check();
  }
}

TEST_CASE("what sees nothing, and what nothing sees, has gradients of 0") {
  Heads heads(70, 300, 5, 4);
  for (kernels::KeyRange& seen : heads.visible) seen = {3, 200};
  heads.visible[64] = {0, 0};
  heads.check();
  for (const auto& made : heads.run({})) {
    for (int64_t d = 0; d < 5; ++d) {
      CHECK(made.query[at(64 * (5 + kGap) + d)] == 0);
      for (const int64_t s : {0, 2, 200, 299}) CHECK(made.key[at(s * (5 + kGap) + d)] == 0);
    }
    for (const int64_t s : {0, 2, 200, 299}) CHECK(made.value[at(s * (4 + kGap))] == 0);
  }
}

TEST_CASE("the gradients of attention go back through the steps before its softmax") {
  for (const auto& [T, S] : {std::pair<int64_t, int64_t>{7, 17}, {61, 121}}) {
    for (const auto& [bend_by, squash_by] : {std::pair{0.2f, 0.0f}, {0.0f, 0.7f}, {0.2f, 0.7f}}) {
      CAPTURE(T);
      CAPTURE(bend_by);
      CAPTURE(squash_by);
      Heads heads(T, S, 6, 5);
      heads.bend_by = bend_by;
      heads.squash_by = squash_by;
      heads.check();
      heads.has_bias = heads.has_mask = true;
      heads.visible[2] = {3, 9};
      heads.check();
    }
  }
}

TEST_CASE("a gradient that is not wanted is not made, and the others keep their bits") {
  const Heads heads(61, 121, 6, 5);
  const auto all = heads.run({});
  for (int wanted = 0; wanted < 8; ++wanted) {
    CAPTURE(wanted);
    const bool query = wanted & 1, key = wanted & 2, value = wanted & 4;
    const auto some = heads.run({query, key, value});
    for (size_t h = 0; h < kHeads; ++h) {
      CHECK((query ? same(some[h].query, all[h].query) : untouched(some[h].query)));
      CHECK((key ? same(some[h].key, all[h].key) : untouched(some[h].key)));
      CHECK((value ? same(some[h].value, all[h].value) : untouched(some[h].value)));
    }
  }
}

TEST_CASE("blocks of keys in calls of their own give the bits of one call over all keys") {
  Heads heads(130, 500, 6, 5);
  for (int64_t t = 0; t < heads.T; ++t) heads.visible[at(t)] = {t, 371 + t};
  const auto one = heads.run({}, heads.S), blocks = heads.run({});
  for (size_t h = 0; h < kHeads; ++h) {
    CHECK(same(one[h].query, blocks[h].query));
    CHECK(same(one[h].key, blocks[h].key));
    CHECK(same(one[h].value, blocks[h].value));
  }
}
