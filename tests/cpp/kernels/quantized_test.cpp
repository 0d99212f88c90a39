#include "../../../cpp/kernels/quantized.h"

#include <algorithm>
#include <cfloat>
#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Row {
  std::vector<int64_t> q;
  float scale;
  int64_t zero;
  double real(size_t p) const { return static_cast<double>(scale) * (q[p] - zero); }
};

/// What quantized.h says of a row of A, number by number.
Row affine(const float* row, int64_t k) {
  float low = 0.0f, high = 0.0f;
  for (int64_t p = 0; p < k; ++p) low = std::min(low, row[p]), high = std::max(high, row[p]);
  Row result{{}, std::max(high / 127.0f - low / 127.0f, FLT_MIN), 0};
  const float inverse = 1.0f / result.scale;
  result.zero = std::min<int64_t>(std::lrint(-low * inverse), 127);
  for (int64_t p = 0; p < k; ++p) {
    const float exact = row[p] * inverse;
    const auto nearest = static_cast<int64_t>(
        std::nearbyint(static_cast<double>(exact) + static_cast<double>(result.zero)));
    result.q.push_back(std::clamp<int64_t>(nearest, 0, 127));
  }
  return result;
}

/// The same of a row of B.
Row symmetric(const float* row, int64_t k) {
  float largest = 0.0f;
  for (int64_t p = 0; p < k; ++p) largest = std::max(largest, std::abs(row[p]));
  Row result{{}, std::max(largest / 127.0f, FLT_MIN), 0};
  for (int64_t p = 0; p < k; ++p) {
    result.q.push_back(static_cast<int64_t>(std::nearbyint(row[p] / result.scale)));
  }
  return result;
}

struct Product {
  std::vector<float> a, b, bias;
  int64_t m, n, k, a_stride, b_stride, c_stride;

  Product(int64_t m_, int64_t n_, int64_t k_, int64_t gap = 0)
      : a(random_floats(m_ * (k_ + gap), 1)),
        b(random_floats(n_ * (k_ + gap), 2)),
        bias(random_floats(n_, 3)),
        m(m_),
        n(n_),
        k(k_),
        a_stride(k_ + gap),
        b_stride(k_ + gap),
        c_stride(n_ + gap) {}

  std::vector<int32_t> packed() const {
    std::vector<int32_t> to(static_cast<size_t>(kernels::quantized_size(n, k)), -1);
    kernels::pack_quantized(b.data(), b_stride, n, k, to.data());
    return to;
  }

  std::vector<int32_t> scratch() const {
    return std::vector<int32_t>(static_cast<size_t>(kernels::quantized_scratch(m, k)), -1);
  }

  std::vector<float> run(bool with_bias = true) const {
    std::vector<float> c(static_cast<size_t>(m * c_stride), -7.0f);
    kernels::gemm_quantized({a.data(), a_stride}, {packed().data(), k},
                            with_bias ? bias.data() : nullptr, {c.data(), c_stride}, m, n,
                            scratch().data());
    return c;
  }

  const float* a_row(int64_t i) const { return a.data() + i * a_stride; }
  const float* b_row(int64_t j) const { return b.data() + j * b_stride; }
};

/// Rows of differing range: positive, negative, both, tiny, huge.
void vary(Product& product) {
  for (int64_t i = 0; i < product.m; ++i) {
    for (int64_t p = 0; p < product.k; ++p) {
      float& x = product.a[static_cast<size_t>(i * product.a_stride + p)];
      if (i % 5 == 1) x = std::abs(x);
      if (i % 5 == 2) x = -std::abs(x) * 1e-30f;
      if (i % 5 == 3) x = x * 1e6f + 1e5f;
    }
  }
}

}  // namespace

TEST_CASE("an int8 product equals plain loops to the last bit at every edge of its tiles") {
  // Tiles have up to 6 rows and 8 columns; vectors hold 16 or 8 terms, words 4 or 2.
  const int64_t sizes[][4] = {{1, 1, 1, 0},    {1, 8, 4, 0},    {2, 9, 3, 1},    {3, 7, 5, 0},
                              {4, 16, 15, 2},  {5, 8, 16, 0},   {6, 17, 17, 0},  {7, 24, 31, 3},
                              {12, 8, 32, 0},  {13, 11, 33, 5}, {25, 40, 64, 0}, {1, 33, 767, 0},
                              {77, 9, 900, 0}, {601, 3, 500, 1}};
  for (const auto& [m, n, k, gap] : sizes) {
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    Product product(m, n, k, gap);
    vary(product);
    std::vector<Row> columns;
    for (int64_t j = 0; j < n; ++j) columns.push_back(symmetric(product.b_row(j), k));
    for (const bool with_bias : {false, true}) {
      const std::vector<float> c = product.run(with_bias);
      int64_t wrong = 0;
      for (int64_t i = 0; i < m; ++i) {
        const Row row = affine(product.a_row(i), k);
        for (int64_t j = 0; j < n; ++j) {
          const Row& column = columns[static_cast<size_t>(j)];
          int64_t sum = 0;
          for (size_t p = 0; p < row.q.size(); ++p) sum += (row.q[p] - row.zero) * column.q[p];
          const float scaled = static_cast<float>(sum) * (row.scale * column.scale);
          const float expected = scaled + (with_bias ? product.bias[static_cast<size_t>(j)] : 0.0f);
          wrong += c[static_cast<size_t>(i * product.c_stride + j)] != expected;
        }
        for (int64_t j = n; j < product.c_stride; ++j) {
          wrong += c[static_cast<size_t>(i * product.c_stride + j)] != -7.0f;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("an int8 product errs by half a step of each operand") {
  Product product(20, 24, 300);
  vary(product);
  const std::vector<float> c = product.run(false);
  for (int64_t i = 0; i < product.m; ++i) {
    const Row row = affine(product.a_row(i), product.k);
    for (int64_t j = 0; j < product.n; ++j) {
      const Row column = symmetric(product.b_row(j), product.k);
      double exact = 0, from_a = 0, from_b = 0;
      for (int64_t p = 0; p < product.k; ++p) {
        const double a = product.a_row(i)[p];
        exact += a * product.b_row(j)[p];
        from_a += std::abs(column.real(static_cast<size_t>(p)));
        from_b += std::abs(a);
      }
      const double bound = 0.5 * (row.scale * from_a + column.scale * from_b);
      // The steps themselves, and the result, are rounded to float32.
      CHECK(std::abs(c[static_cast<size_t>(i * product.n + j)] - exact) <= bound * (1 + 1e-4));
    }
  }
}

TEST_CASE("the largest sums of an int8 product do not overflow") {
  const int64_t k = kernels::kQuantizedDepth;
  for (const float sign : {1.0f, -1.0f}) {
    Product product(1, 1, k);
    std::fill(product.a.begin(), product.a.end(), 127.0f * sign);
    std::fill(product.b.begin(), product.b.end(), -127.0f);
    CHECK(product.run(false)[0] == static_cast<float>(-127.0 * 127.0 * sign * k));
  }
}

TEST_CASE("NaN or infinity in a row of A gives a row of NaN, in a row of B a column") {
  for (const float bad : {NAN, kInfinity, -kInfinity}) {
    for (const int64_t p : {0, 13, 20}) {  // in a vector, and in the tail
      Product product(9, 11, 21);
      product.a[static_cast<size_t>(7 * 21 + p)] = bad;
      product.b[static_cast<size_t>(2 * 21 + p)] = bad;
      const std::vector<float> c = product.run();
      for (int64_t i = 0; i < 9; ++i) {
        for (int64_t j = 0; j < 11; ++j) {
          CHECK(std::isnan(c[static_cast<size_t>(i * 11 + j)]) == (i == 7 || j == 2));
        }
      }
    }
  }
}

TEST_CASE("a row of zeros gives the bias, and so does a row of B") {
  Product product(3, 10, 37);
  std::fill_n(product.a.begin() + 37, 37, 0.0f);
  std::fill_n(product.b.begin() + 5 * 37, 37, -0.0f);
  const std::vector<float> c = product.run();
  for (size_t j = 0; j < 10; ++j) CHECK(c[10 + j] == product.bias[j]);
  for (size_t i = 0; i < 3; ++i) CHECK(c[i * 10 + 5] == product.bias[5]);
}

TEST_CASE("the largest and smallest floats quantize without overflow") {
  for (const float size : {std::numeric_limits<float>::max(), FLT_MIN, 1e-45f}) {
    CAPTURE(size);
    Product product(1, 1, 2);
    product.a = {size, -size};
    product.b = {1.0f, -0.5f};
    // 1.5 times the largest float is infinity; numbers of which 127 are below FLT_MIN become 0.
    const float c = product.run(false)[0];
    CHECK(std::abs(c - 1.5 * static_cast<double>(size)) <= (size > 1 ? kInfinity : FLT_MIN));
    CHECK_FALSE(std::isnan(c));
  }
}

TEST_CASE("columns of an int8 product can be made apart") {
  const Product product(5, 20, 30);
  const std::vector<float> whole = product.run();
  const std::vector<int32_t> packed = product.packed();
  std::vector<float> parts(whole.size());
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 8}, {8, 20}}) {
    kernels::gemm_quantized({product.a.data(), product.a_stride},
                            {packed.data() + kernels::quantized_size(from, 30), 30},
                            product.bias.data() + from, {parts.data() + from, 20}, 5, to - from,
                            product.scratch().data());
  }
  CHECK(parts == whole);
}

TEST_CASE("an int8 product that is added to another gives their sum") {
  for (const int64_t n : {20, 24}) {
    const Product product(7, n, 30);
    std::vector<float> twice = product.run();
    const std::vector<float> once = product.run(false), biased = twice;
    kernels::gemm_quantized_add({product.a.data(), product.a_stride}, {product.packed().data(), 30},
                                {twice.data(), product.c_stride}, 7, n, product.scratch().data());
    for (size_t i = 0; i < twice.size(); ++i) check_close(twice[i], biased[i] + once[i], 1e-6);
  }
}
