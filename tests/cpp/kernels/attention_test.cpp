#include "../../../cpp/kernels/attention.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr double kTolerance = 2e-6;  // exponentials within 3 ULP, scores of at most 70 products

/// Two heads that share keys and values, with every stride larger than a row.
struct Heads {
  int64_t T, S, D, V;
  std::vector<float> query, key, value, bias, mask;
  std::vector<kernels::KeyRange> visible;
  float scale = 0.3f;
  bool has_bias = false, has_mask = false;
  int64_t gap = 3;

  Heads(int64_t queries, int64_t keys, int64_t features, int64_t value_features)
      : T(queries), S(keys), D(features), V(value_features) {
    query = random_floats(2 * T * (D + gap), 1);
    key = random_floats(S * (D + gap), 2);
    value = random_floats(S * (V + gap), 3);
    bias = random_floats(2 * T * S, 4);
    mask = random_floats(S, 5);  // the same for every query
    visible.assign(static_cast<size_t>(T), {0, S});
  }

  static size_t at(int64_t index) { return static_cast<size_t>(index); }

  /// One row by plain loops in double precision.
  std::vector<double> plain_weights(int64_t head, int64_t t) const {
    std::vector<double> weights(at(S), 0.0);
    double maximum = -std::numeric_limits<double>::infinity(), sum = 0.0;
    const kernels::KeyRange seen = visible[at(t)];
    for (int64_t s = seen.first; s < seen.end; ++s) {
      double score = 0.0;
      for (int64_t d = 0; d < D; ++d) {
        score += static_cast<double>(query[at((head * T + t) * (D + gap) + d)]) *
                 key[at(s * (D + gap) + d)];
      }
      score *= scale;
      if (has_bias) score += bias[at((head * T + t) * S + s)];
      if (has_mask) score += mask[at(s)];
      weights[at(s)] = score;
      maximum = std::max(maximum, score);
    }
    for (int64_t s = seen.first; s < seen.end; ++s) {
      const bool nothing = maximum == -std::numeric_limits<double>::infinity();
      sum += weights[at(s)] = nothing ? 0.0 : std::exp(weights[at(s)] - maximum);
    }
    for (double& weight : weights) weight = sum > 0.0 ? weight / sum : weight;
    return weights;
  }

  struct Result {
    std::vector<float> output, weights;
  };

  kernels::KeysAndValues in_place() const {
    return {kernels::ConstRows{key.data(), D + gap}, kernels::ConstRows{value.data(), V + gap}};
  }

  Result run(bool want_weights, int64_t begin, int64_t end) const {
    return run(in_place(), want_weights, begin, end);
  }

  Result run(const kernels::KeysAndValues& shared, bool want_weights, int64_t begin,
             int64_t end) const {
    Result result{std::vector<float>(at(2 * T * (V + gap)), NAN),
                  std::vector<float>(at(2 * T * S), NAN)};
    std::vector<kernels::QueryHead> heads(2);
    for (int64_t h = 0; h < 2; ++h) {
      kernels::QueryHead& head = heads[at(h)];
      head.query = {query.data() + h * T * (D + gap), D + gap};
      head.bias = {has_bias ? bias.data() + h * T * S : nullptr, S};
      head.mask = {has_mask ? mask.data() : nullptr, 0};
      head.output = {result.output.data() + h * T * (V + gap), V + gap};
      head.weights = {want_weights ? result.weights.data() + h * T * S : nullptr, S};
    }
    const kernels::AttentionSizes sizes{T, S, D, V};
    std::vector<float> scratch(at(kernels::attention_scratch(
        sizes, {.heads = 2,
                .most_queries = end - begin,
                .weights = want_weights,
                .stored_in_16_bits = std::holds_alternative<kernels::HalfRows>(shared.key)})));
    kernels::attend(heads, shared, sizes, {.scale = scale}, visible.data(), begin, end,
                    scratch.data());
    return result;
  }

  void check(int64_t begin, int64_t end) const {
    for (const bool want_weights : {false, true}) {
      CAPTURE(want_weights);
      const Result result = run(want_weights, begin, end);
      for (int64_t h = 0; h < 2; ++h) {
        for (int64_t t = begin; t < end; ++t) {
          const std::vector<double> weights = plain_weights(h, t);
          for (int64_t s = 0; want_weights && s < S; ++s) {
            check_close(result.weights[at((h * T + t) * S + s)], weights[at(s)], kTolerance);
          }
          for (int64_t v = 0; v < V; ++v) {
            double expected = 0.0;
            for (int64_t s = 0; s < S; ++s) {
              expected += weights[at(s)] * value[at(s * (V + gap) + v)];
            }
            check_close(result.output[at((h * T + t) * (V + gap) + v)], expected, kTolerance);
          }
          // Nothing is written between the rows.
          CHECK(std::isnan(result.output[at((h * T + t) * (V + gap) + V)]));
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("attention equals plain loops around its tiles and blocks") {
  // Tiles have 5 or 6 rows and 8 columns; blocks 30 queries and 128 keys.
  const int64_t sizes[][4] = {{1, 1, 1, 1},    {1, 9, 3, 2},     {5, 8, 4, 8},     {7, 17, 5, 9},
                              {30, 128, 8, 8}, {31, 129, 16, 7}, {61, 300, 7, 17}, {3, 257, 70, 5}};
  for (const auto& [T, S, D, V] : sizes) {
    CAPTURE(T);
    CAPTURE(S);
    CAPTURE(D);
    Heads heads(T, S, D, V);
    heads.check(0, T);
    heads.has_bias = heads.has_mask = true;
    heads.check(T / 3, T);
    heads.scale = -1.0f;
    heads.check(0, T);
  }
}

TEST_CASE("attention keeps to what each query sees: causal, in a window, nothing at all") {
  for (const int64_t window : {1000, 40, 3}) {
    for (const int64_t offset : {-20, 0, 150}) {
      CAPTURE(window);
      CAPTURE(offset);
      Heads heads(75, 290, 6, 5);
      for (int64_t t = 0; t < heads.T; ++t) {
        const int64_t at = t + offset, end = std::clamp<int64_t>(at + 1, 0, heads.S);
        heads.visible[Heads::at(t)] = {std::min(std::max<int64_t>(at - window + 1, 0), end), end};
      }
      heads.visible[70] = {0, 0};
      heads.check(0, heads.T);
      heads.check(31, 32);
    }
  }
}

TEST_CASE("the last few queries give the same by themselves as with those before") {
  const Heads heads(32, 290, 6, 5);
  const Heads::Result whole = heads.run(false, 0, 32), part = heads.run(false, 30, 32);
  const auto row = [](const Heads::Result& result) { return result.output.data() + 30 * 8; };
  CHECK(std::equal(row(part), row(part) + 5, row(whole)));
}

TEST_CASE("keys that a mask hides have no weight, and a query that sees nothing gets zeros") {
  Heads heads(33, 280, 4, 3);
  heads.has_mask = true;
  for (size_t s = 0; s < heads.mask.size(); s += 2) heads.mask[s] = kHidden;
  std::fill_n(heads.mask.begin(), 140, kHidden);  // a whole block, before any that is seen
  heads.check(0, 33);
  std::fill(heads.mask.begin(), heads.mask.end(), kHidden);
  heads.check(0, 33);
}

TEST_CASE("NaN in a query makes its rows NaN, and no others") {
  Heads heads(9, 200, 4, 3);
  heads.query[Heads::at(5 * 7 + 2)] = NAN;
  for (const bool want_weights : {false, true}) {
    const Heads::Result result = heads.run(want_weights, 0, 9);
    for (int64_t t = 0; t < 9; ++t) {
      CHECK(std::isnan(result.output[Heads::at(t * 6)]) == (t == 5));
    }
  }
}

TEST_CASE("bits do not depend on how queries are shared out, NaN among keys and values or not") {
  constexpr int64_t kQueries = 210, kKeys = 700, kWindow = 50;
  for (const bool has_nan : {false, true}) {
    Heads heads(kQueries, kKeys, 16, 8);
    for (int64_t t = 0; t < kQueries; ++t) {  // the last query stands at the last key
      const int64_t end = t + kKeys - kQueries + 1;
      heads.visible[static_cast<size_t>(t)] = {end - kWindow, end};
    }
    if (has_nan) {
      for (const size_t row : {500, 599, 641}) {
        heads.key[row * (16 + 3)] = NAN;
        heads.value[row * (8 + 3) + 2] = NAN;
      }
    }
    for (const bool want_weights : {false, true}) {
      const Heads::Result whole = heads.run(want_weights, 0, kQueries);
      for (int64_t begin = 0; begin < kQueries; begin += kernels::kAttentionQueries) {
        const int64_t end = begin + kernels::kAttentionQueries;
        const Heads::Result part = heads.run(want_weights, begin, end);
        const auto same = [&](const std::vector<float>& a, const std::vector<float>& b,
                              int64_t columns) {
          for (int64_t h = 0; h < 2; ++h) {
            const size_t first = static_cast<size_t>((h * kQueries + begin) * columns);
            const size_t bytes = static_cast<size_t>((end - begin) * columns) * sizeof(float);
            CHECK(std::memcmp(a.data() + first, b.data() + first, bytes) == 0);
          }
        };
        CAPTURE(begin);
        same(part.output, whole.output, 8 + 3);
        if (want_weights) same(part.weights, whole.weights, kKeys);
      }
    }
  }
}

TEST_CASE("keys and values in 16 bits give what the same numbers in 32 give") {
  using enum kernels::HalfFormat;
  for (const kernels::HalfFormat format : {kFloat16, kBfloat16}) {
    for (const int64_t T : {1, 9}) {  // read in rows, and packed
      Heads heads(T, 300, 6, 5);
      heads.gap = 0;
      const auto halved = [&](std::vector<float>& floats) {
        const int64_t count = static_cast<int64_t>(floats.size());
        std::vector<uint16_t> halves(floats.size());
        kernels::to_half(floats.data(), count, format, halves.data());
        kernels::from_half(halves.data(), count, format, floats.data());
        return halves;
      };
      const std::vector<uint16_t> key = halved(heads.key), value = halved(heads.value);
      const kernels::KeysAndValues shared{kernels::HalfRows{key.data(), format},
                                          kernels::HalfRows{value.data(), format}};
      for (const bool want_weights : {false, true}) {
        const Heads::Result halves = heads.run(shared, want_weights, 0, T);
        CHECK(halves.output[0] != 0.0f);
        CHECK(halves.output == heads.run(want_weights, 0, T).output);
      }
    }
  }
}
