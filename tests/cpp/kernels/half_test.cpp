#include "../../../cpp/kernels/half.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "../../../cpp/run/rounding.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;
using kernels::HalfFormat;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr HalfFormat kFormats[] = {HalfFormat::kFloat16, HalfFormat::kBfloat16};

/// What 16 bits mean, by the definition of the format.
double meaning(int half, HalfFormat format) {
  const int fraction_bits = format == HalfFormat::kFloat16 ? 10 : 7;
  const int bias = format == HalfFormat::kFloat16 ? 15 : 127;
  const int largest = format == HalfFormat::kFloat16 ? 31 : 255;
  const int fraction = half & ((1 << fraction_bits) - 1);
  const int exponent = (half & 0x7fff) >> fraction_bits;
  const double sign = half & 0x8000 ? -1.0 : 1.0;
  if (exponent == largest) return fraction ? NAN : sign * kInfinity;
  const int whole = exponent > 0 ? 1 << fraction_bits : 0;
  return sign * std::ldexp(whole + fraction, std::max(exponent, 1) - bias - fraction_bits);
}

std::vector<float> widened(const std::vector<uint16_t>& halves, HalfFormat format) {
  std::vector<float> result(halves.size());
  kernels::from_half(halves.data(), static_cast<int64_t>(halves.size()), format, result.data());
  return result;
}

std::vector<uint16_t> narrowed(const std::vector<float>& floats, HalfFormat format) {
  std::vector<uint16_t> result(floats.size());
  kernels::to_half(floats.data(), static_cast<int64_t>(floats.size()), format, result.data());
  return result;
}

std::vector<float> rounded(const std::vector<float>& floats, HalfFormat format) {
  Values values = make_values({static_cast<int64_t>(floats.size())});
  std::copy(floats.begin(), floats.end(), values.data());
  round_to(format == HalfFormat::kFloat16 ? Dtype::kFloat16 : Dtype::kBfloat16, values);
  return {values.data(), values.data() + floats.size()};
}

/// As equal as bits, but for the payload of NaN.
int64_t differences(const std::vector<float>& actual, const std::vector<float>& expected) {
  int64_t count = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
    count += std::bit_cast<uint32_t>(actual[i]) != std::bit_cast<uint32_t>(expected[i]);
  }
  return count;
}

struct Product {
  std::vector<float> a, bias;
  std::vector<uint16_t> b;
  int64_t m, n, k, gap;
  HalfFormat format;

  Product(int64_t m_, int64_t n_, int64_t k_, int64_t gap_, HalfFormat format_)
      : a(random_floats(m_ * (k_ + gap_), 1)),
        bias(random_floats(n_, 3)),
        b(narrowed(random_floats(n_ * (k_ + gap_), 2), format_)),
        m(m_),
        n(n_),
        k(k_),
        gap(gap_),
        format(format_) {}

  std::vector<uint16_t> packed() const {
    std::vector<uint16_t> to(static_cast<size_t>(kernels::half_size(n, k)), 0xffff);
    kernels::pack_half(b.data(), k + gap, n, k, format, to.data());
    return to;
  }

  std::vector<float> run(bool with_bias) const {
    std::vector<float> c(static_cast<size_t>(m * (n + gap)), -7.0f);
    std::vector<float> scratch(static_cast<size_t>(kernels::half_scratch(n, k)));
    kernels::gemm_half({a.data(), k + gap}, {packed().data(), k, format},
                       with_bias ? bias.data() : nullptr, {c.data(), n + gap}, m, n,
                       scratch.data());
    return c;
  }

  double plain(int64_t i, int64_t j, bool with_bias) const {
    double sum = with_bias ? bias[static_cast<size_t>(j)] : 0.0;
    for (int64_t p = 0; p < k; ++p) {
      sum += static_cast<double>(a[static_cast<size_t>(i * (k + gap) + p)]) *
             meaning(b[static_cast<size_t>(j * (k + gap) + p)], format);
    }
    return sum;
  }
};

void check_product(const Product& product, double tolerance) {
  const auto [m, n, k, gap] = std::tuple(product.m, product.n, product.k, product.gap);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  for (const bool with_bias : {false, true}) {
    const std::vector<float> c = product.run(with_bias);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        check_close(c[static_cast<size_t>(i * (n + gap) + j)], product.plain(i, j, with_bias),
                    tolerance);
      }
      for (int64_t j = n; j < n + gap; ++j) CHECK(c[static_cast<size_t>(i * (n + gap) + j)] == -7);
    }
  }
}

/// As in gemm_test.cpp.
double tolerance_of(int64_t k) { return 1e-6 * std::sqrt(static_cast<double>(k)); }

}  // namespace

TEST_CASE("every 16 bits widen to what their format says, and narrow to the same bits") {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  for (const HalfFormat format : kFormats) {
    const std::vector<float> floats = widened(all, format);
    std::vector<float> expected;
    for (const int half : all) expected.push_back(static_cast<float>(meaning(half, format)));
    CHECK(differences(floats, expected) == 0);
    const std::vector<uint16_t> back = narrowed(floats, format);
    int64_t wrong = 0;
    for (size_t i = 0; i < all.size(); ++i) wrong += !std::isnan(floats[i]) && back[i] != all[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("narrowing rounds as round_to does, NaN stays NaN") {
  // All exponents with fractions at, beside and between the ties of both formats, and a sweep.
  std::vector<float> floats;
  for (uint32_t upper = 0; upper < 65536; ++upper) {
    for (const uint32_t lower : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u,
                                 0xefffu, 0xf000u, 0xf001u, 0xffffu, upper * 40503u & 0xffffu}) {
      floats.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  for (const HalfFormat format : kFormats) {
    CHECK(differences(widened(narrowed(floats, format), format), rounded(floats, format)) == 0);
  }
}

TEST_CASE("NaN keeps its sign in 16 bits, float16 overflows to infinity") {
  const std::vector<float> floats = {NAN,      -NAN,     std::bit_cast<float>(0x7f800001u),
                                     65519.0f, 65520.0f, -1e30f};
  CHECK(narrowed(floats, HalfFormat::kFloat16) ==
        std::vector<uint16_t>{0x7e00, 0xfe00, 0x7e00, 0x7bff, 0x7c00, 0xfc00});
  CHECK(narrowed({floats.begin(), floats.begin() + 3}, HalfFormat::kBfloat16) ==
        std::vector<uint16_t>{0x7fc0, 0xffc0, 0x7fc0});
}

TEST_CASE("conversion writes exactly its numbers, at any length") {
  for (const HalfFormat format : kFormats) {
    for (size_t length = 0; length < 20; ++length) {
      const std::vector<float> floats = random_floats(static_cast<int64_t>(length) + 1, 9);
      std::vector<uint16_t> halves(length + 1, 0x1234);
      std::vector<float> back(length + 1, -7.0f);
      kernels::to_half(floats.data(), static_cast<int64_t>(length), format, halves.data());
      kernels::from_half(halves.data(), static_cast<int64_t>(length), format, back.data());
      CHECK(halves[length] == 0x1234);
      CHECK(back[length] == -7.0f);
      CHECK(differences({back.begin(), back.end() - 1},
                        rounded({floats.begin(), floats.end() - 1}, format)) == 0);
    }
  }
}

TEST_CASE("a 16-bit product equals plain loops at every edge of its tiles and blocks") {
  // Up to 3 rows, up to a tile of 5 or 6 rows, more; blocks of 110 or 132 rows and 768 terms.
  const int64_t sizes[][4] = {{1, 1, 1, 0},     {1, 8, 4, 1},     {2, 9, 3, 0},     {3, 7, 5, 2},
                              {4, 16, 2, 0},    {5, 8, 3, 0},     {6, 17, 767, 3},  {7, 9, 768, 0},
                              {12, 15, 769, 1}, {1, 25, 1537, 0}, {3, 8, 770, 0},   {4, 31, 800, 5},
                              {110, 9, 10, 0},  {133, 10, 33, 0}, {265, 31, 800, 0}};
  for (const HalfFormat format : kFormats) {
    for (const auto& [m, n, k, gap] : sizes) {
      check_product(Product(m, n, k, gap, format), tolerance_of(k));
    }
  }
}

TEST_CASE("a 16-bit product is right over the whole range of its weights") {
  // Below 2^7 float16 is stored in another way: the panels here are below, and partly above.
  for (const HalfFormat format : kFormats) {
    for (const int64_t m : {1, 2, 3, 5, 13}) {
      for (const float largest : {127.9f, 128.0f, 60000.0f}) {
        Product product(m, 24, 40, 0, format);
        std::vector<float> weights = random_floats(24 * 40, 8);
        for (size_t i = 0; i < weights.size(); ++i) {
          weights[i] = std::ldexp(weights[i], -static_cast<int>(i % 27));  // subnormals too
        }
        for (size_t p = 0; p < 40; p += 7) weights[13 * 40 + p] = p % 2 ? largest : -largest;
        weights[5] = 0.0f, weights[6] = -0.0f;
        product.b = narrowed(weights, format);
        check_product(product, largest * tolerance_of(40));
      }
    }
  }
}

TEST_CASE("each weight of a 16-bit product is exact") {
  // One row of A picks one weight: a sum of zeros and that.
  for (const HalfFormat format : kFormats) {
    const int largest = format == HalfFormat::kFloat16 ? 0x7c00 : 0x7f80;
    for (const int limit : {0x5800, largest}) {  // below 2^7 in float16, and all that is finite
      Product product(1, 64, 1, 0, format);
      product.a = {1.0f};
      int64_t wrong = 0;
      for (int first = 0; first < limit; first += 32) {
        for (int j = 0; j < 64; ++j) {
          product.b[static_cast<size_t>(j)] =
              static_cast<uint16_t>(std::min(first + j / 2, limit - 1) | (j % 2) << 15);
        }
        const std::vector<float> c = product.run(false);
        for (size_t j = 0; j < 64; ++j) {
          wrong += c[j] != static_cast<float>(meaning(product.b[j], format));
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("NaN and infinity pass through a 16-bit product") {
  for (const HalfFormat format : kFormats) {
    for (const int64_t m : {1, 3, 9}) {
      Product product(m, 11, 21, 0, format);
      std::fill(product.a.begin(), product.a.end(), 1.0f);
      product.b[2 * 21 + 20] = narrowed({NAN}, format)[0];
      product.b[9 * 21 + 3] = narrowed({-kInfinity}, format)[0];
      product.a[static_cast<size_t>((m - 1) * 21 + 7)] = NAN;
      const std::vector<float> c = product.run(true);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < 11; ++j) {
          const float value = c[static_cast<size_t>(i * 11 + j)];
          CHECK(std::isnan(value) == (i == m - 1 || j == 2));
          if (i < m - 1 && j == 9) CHECK(value == -kInfinity);
        }
      }
    }
  }
}

TEST_CASE("columns of a 16-bit product can be made apart") {
  for (const HalfFormat format : kFormats) {
    for (const int64_t m : {2, 5, 14}) {
      const Product product(m, 20, 30, 0, format);
      const std::vector<float> whole = product.run(true);
      const std::vector<uint16_t> packed = product.packed();
      std::vector<float> parts(whole.size());
      std::vector<float> scratch(static_cast<size_t>(kernels::half_scratch(12, 30)));
      for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 8}, {8, 20}}) {
        kernels::gemm_half(
            {product.a.data(), 30}, {packed.data() + kernels::half_size(from, 30), 30, format},
            product.bias.data() + from, {parts.data() + from, 20}, m, to - from, scratch.data());
      }
      CHECK(parts == whole);
    }
  }
}
