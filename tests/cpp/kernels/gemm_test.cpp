#include "../../../cpp/kernels/gemm.h"

#include <array>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

// Sums of k products of numbers in [-1, 1): each of the k roundings errs by at most half an ULP of
// a partial sum, which stays below k. The square root is what random signs leave of it.
double tolerance(int64_t k) { return 1e-6 * std::sqrt(static_cast<double>(k)); }

struct Product {
  std::vector<float> a, b, bias;
  int64_t m, n, k;

  Product(int64_t m_, int64_t n_, int64_t k_)
      : a(random_floats(m_ * k_, 1)),
        b(random_floats(n_ * k_, 2)),
        bias(random_floats(n_, 3)),
        m(m_),
        n(n_),
        k(k_) {}

  double plain(int64_t i, int64_t j, bool with_bias) const {
    double sum = with_bias ? bias[static_cast<size_t>(j)] : 0.0;
    for (int64_t p = 0; p < k; ++p) {
      sum += static_cast<double>(a[static_cast<size_t>(i * k + p)]) *
             b[static_cast<size_t>(j * k + p)];
    }
    return sum;
  }

  std::vector<float> run(bool with_bias, const std::vector<float>& packed,
                         bool backwards = false) const {
    std::vector<float> c(static_cast<size_t>(m * n), NAN);
    kernels::gemm({a.data(), k}, {packed.data(), k, backwards}, with_bias ? bias.data() : nullptr,
                  {c.data(), n}, m, n, k);
    return c;
  }

  std::vector<float> packed() const {
    std::vector<float> to(static_cast<size_t>(kernels::packed_size(n, k)), NAN);
    kernels::pack_transposed(b.data(), k, n, k, to.data());
    return to;
  }
};

}  // namespace

TEST_CASE("a product equals plain loops at every edge of its tiles and blocks") {
  // Tiles have 5 or 6 rows and 8 columns; blocks 110 or 132 rows and 768 terms.
  const int64_t sizes[][3] = {{1, 1, 1},    {1, 8, 4},      {5, 8, 3},      {6, 8, 3},
                              {7, 9, 5},    {12, 16, 1},    {13, 7, 767},   {5, 17, 768},
                              {6, 15, 769}, {11, 24, 1537}, {109, 3, 2},    {110, 9, 10},
                              {132, 8, 7},  {133, 10, 33},  {265, 31, 800}, {1, 31, 128},
                              {1, 32, 129}, {1, 33, 1000},  {1, 100, 3},    {2, 40, 300}};
  for (const auto& [m, n, k] : sizes) {
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    const Product product(m, n, k);
    for (const bool with_bias : {false, true}) {
      const std::vector<float> c = product.run(with_bias, product.packed());
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          check_close(c[static_cast<size_t>(i * n + j)], product.plain(i, j, with_bias),
                      tolerance(k));
        }
      }
    }
  }
}

TEST_CASE("a product that reads B backwards, from the last panel, gives the same bits") {
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{1, 8, 4}, {1, 100, 300}, {2, 33, 20}, {7, 300, 800}}) {
    CAPTURE(n);
    const Product product(m, n, k);
    CHECK(product.run(true, product.packed(), true) == product.run(true, product.packed()));
  }
}

TEST_CASE("a product that is added to what is there, of one row and of several") {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 37, 300}, {3, 37, 300}}) {
    const Product product(m, n, k);
    std::vector<float> sums(static_cast<size_t>(m * n), 5.0f);
    kernels::gemm_add({product.a.data(), k}, {product.packed().data(), k}, {sums.data(), n}, m, n,
                      k);
    for (int64_t i = 0; i < m * n; ++i) {
      check_close(sums[static_cast<size_t>(i)], 5.0 + product.plain(i / n, i % n, false),
                  tolerance(k));
    }
  }
}

TEST_CASE("packing B from (k, n) gives the panels of packing it from (n, k)") {
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1}, {8, 5}, {13, 7}, {16, 2}}) {
    CAPTURE(n);
    CAPTURE(k);
    const Product product(1, n, k);
    std::vector<float> turned(product.b.size()), plain(product.packed().size(), NAN);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p)
        turned[static_cast<size_t>(p * n + j)] = product.b[static_cast<size_t>(j * k + p)];
    }
    kernels::pack_plain(turned.data(), n, n, k, plain.data());
    CHECK(plain == product.packed());
  }
}

TEST_CASE("NaN in one row of A stays in that row of C") {
  Product product(13, 9, 20);
  product.a[7 * 20 + 3] = NAN;
  const std::vector<float> c = product.run(false, product.packed());
  for (int64_t i = 0; i < 13; ++i) {
    for (int64_t j = 0; j < 9; ++j)
      CHECK(std::isnan(c[static_cast<size_t>(i * 9 + j)]) == (i == 7));
  }
}

TEST_CASE("a matrix is turned, whatever its sizes and strides") {
  for (const int64_t rows : {1, 3, 4, 5, 8, 17, 40}) {
    for (const int64_t columns : {1, 2, 4, 7, 16, 19, 33}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const int64_t from_stride = columns + 3, to_stride = rows + 2;
      const std::vector<float> from = random_floats(rows * from_stride, 1);
      std::vector<float> to(static_cast<size_t>(columns * to_stride), 7.0f);
      kernels::turn({from.data(), from_stride}, rows, columns, {to.data(), to_stride});
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < to_stride; ++i) {
          const float expected = i < rows ? from[static_cast<size_t>(i * from_stride + j)] : 7.0f;
          CHECK(to[static_cast<size_t>(j * to_stride + i)] == expected);
        }
      }
    }
  }
}
