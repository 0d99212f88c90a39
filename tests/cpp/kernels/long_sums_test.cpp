// Sums of many numbers of one sign, which do not cancel: their rounding must not grow with their
// length.

#include <algorithm>
#include <utility>

#include "../../../cpp/kernels/attention.h"
#include "../../../cpp/kernels/gemm.h"
#include "../../../cpp/kernels/half.h"
#include "../../../cpp/kernels/pooling.h"
#include "../../../cpp/kernels/rows.h"
#include "../../../cpp/kernels/softmax.h"
#include "../../../cpp/kernels/sums.h"
#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

using Floats = std::vector<float>;

size_t at(int64_t index) { return static_cast<size_t>(index); }

/// The same number everywhere, whose rounding has the same sign at each addition, or random ones.
Floats positive(int64_t count, bool random) {
  Floats values(at(count), 0.1f);
  if (!random) return values;
  const Floats signs = random_floats(count, 7);
  std::transform(signs.begin(), signs.end(), values.begin(), [](float x) { return 1.1f + x; });
  return values;
}

double sum_of_products(const float* a, const float* b, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Calls check(length, x, bound). With x alike the bound is four times the relative error that
/// PyTorch 2.14's float32 makes in such a sum, sometimes less: 2e-6 by products of at least 8 rows
/// and by attention over 65,536 terms.
template <class Check>
void each_length(Check check) {
  for (const int64_t length : {256, 4096, 65'536, 1 << 20}) {
    for (const bool random : {false, true}) {
      CAPTURE(length);
      CAPTURE(random);
      check(length, positive(length, random));
    }
  }
}

/// Of sums whose blocks are added in double.
constexpr double kInDouble = 1.2e-6;
/// Of sums whose blocks are added in float32: each 768 terms, or 256 keys.
double in_float(int64_t length) { return length > 65'536 ? 6e-5 : 4e-6; }

void check_relative(double actual, double expected, double bound) {
  CHECK(std::abs(actual - expected) <= bound * expected);
}

}  // namespace

TEST_CASE("the rounding of a weighted sum of rows does not grow with their number") {
  each_length([](int64_t length, const Floats& x) {
    const Floats weights(at(length), 1.0f / static_cast<float>(length));
    float sum = 0.0f;
    kernels::weighted_sum({x.data(), 1}, weights.data(), length, 1, &sum);
    check_relative(sum, sum_of_products(weights.data(), x.data(), length), kInDouble);
  });
}

TEST_CASE("the rounding of a product of vectors does not grow with their length") {
  constexpr double kLanes = 3e-6;  // 256 terms a lane
  each_length([](int64_t length, const Floats& x) {
    const Floats ones(at(length), 1.0f);
    float sum = 0.0f;
    kernels::dot_rows({x.data(), length}, ones.data(), 0.0f, 1, length, &sum);
    check_relative(sum, sum_of_products(ones.data(), x.data(), length), kLanes);
  });
}

TEST_CASE("the rounding of a matrix product hardly grows with its terms, whatever its rows") {
  for (const int64_t rows : {1, 2, 3, 6}) {
    CAPTURE(rows);
    each_length([rows](int64_t length, const Floats& x) {
      Floats a;
      for (int64_t i = 0; i < rows; ++i) a.insert(a.end(), x.begin(), x.end());
      const Floats ones(at(length), 1.0f);
      const double expected = sum_of_products(ones.data(), x.data(), length);
      Floats packed(at(kernels::packed_size(1, length))), c(at(rows));
      kernels::pack_transposed(ones.data(), length, 1, length, packed.data());
      kernels::gemm({a.data(), length}, {packed.data(), length}, nullptr, {c.data(), 1}, rows, 1,
                    length);
      for (const float sum : c) check_relative(sum, expected, in_float(length));

      const std::vector<uint16_t> halves(at(length), 0x3c00);  // 1 as float16
      std::vector<uint16_t> packed_halves(at(kernels::half_size(kernels::kPanel, length)));
      kernels::pack_half(halves.data(), length, 1, length, kernels::HalfFormat::kFloat16,
                         packed_halves.data());
      Floats scratch(at(kernels::half_scratch(1, length)));
      kernels::gemm_half({a.data(), length},
                         {packed_halves.data(), length, kernels::HalfFormat::kFloat16}, nullptr,
                         {c.data(), 1}, rows, 1, scratch.data());
      for (const float sum : c) check_relative(sum, expected, in_float(length));
    });
  }
}

TEST_CASE("the rounding of a softmax and of its gradient does not grow with its length") {
  each_length([](int64_t length, const Floats& x) {
    const float most = *std::max_element(x.begin(), x.end());
    double sum = 0.0;
    for (const double score : x) sum += std::exp(score - static_cast<double>(most));
    Floats weights(x.size()), gradient(x.size());
    kernels::softmax(x.data(), nullptr, length, weights.data());
    check_relative(weights[0], std::exp(static_cast<double>(x[0] - most)) / sum, kInDouble);

    // The gradient by the first score is y (dy - sum of y dy), with dy 2 there and 1 elsewhere.
    Floats dy(x.size(), 1.0f);
    dy[0] = 2.0f;
    kernels::softmax_gradient(weights.data(), dy.data(), length, gradient.data());
    const double along = sum_of_products(weights.data(), dy.data(), length);
    check_close(gradient[0] / weights[0], 2.0 - along, kInDouble);
  });
}

TEST_CASE("the rounding of attention hardly grows with the number of keys") {
  for (const int64_t queries : {1, 8}) {
    for (const bool wanted : {false, true}) {
      CAPTURE(queries);
      CAPTURE(wanted);
      each_length([=](int64_t length, const Floats& x) {
        const Floats query(at(queries), 0.0f), key(at(length), 0.0f);  // equal weights
        Floats output(at(queries)), weights(at(wanted ? queries * length : 0));
        const std::vector<kernels::KeyRange> visible(at(queries), {0, length});
        kernels::QueryHead head{};
        head.query = {query.data(), 1};
        head.output = {output.data(), 1};
        head.weights = {wanted ? weights.data() : nullptr, length};
        const kernels::AttentionSizes sizes{queries, length, 1, 1};
        Floats scratch(at(kernels::attention_scratch(
            sizes,
            {.heads = 1, .most_queries = queries, .weights = wanted, .stored_in_16_bits = false})));
        kernels::attend({&head, 1},
                        {kernels::ConstRows{key.data(), 1}, kernels::ConstRows{x.data(), 1}}, sizes,
                        {.scale = 1.0f}, visible.data(), 0, queries, scratch.data());
        const Floats ones(x.size(), 1.0f);
        const double mean = sum_of_products(ones.data(), x.data(), length) / double(length);
        for (const float sum : output) check_relative(sum, mean, in_float(length));
      });
    }
  }
}

TEST_CASE("the rounding of a linear scorer's pooling does not grow with the sequence") {
  each_length([](int64_t length, const Floats& x) {
    constexpr int64_t kPart = 64;
    const float vector = 0.0f;  // equal weights
    Floats scores(x.size());
    std::vector<float> sums;
    std::vector<kernels::Pooled> parts;
    for (int64_t first = 0; first < length; first += kPart) {
      float sum = 0.0f;
      parts.push_back(kernels::score_and_pool(x.data() + first, &vector, 0.0f, nullptr, kPart, 1,
                                              scores.data() + first, &sum));
      check_relative(sum, sum_of_products(Floats(kPart, 1.0f).data(), x.data() + first, kPart),
                     kInDouble);
      CHECK(parts.back().sum == static_cast<float>(kPart));
    }
  });
}
