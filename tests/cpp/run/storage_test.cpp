#include "../../../cpp/run/storage.h"

#include <algorithm>
#include <limits>

#include "../../../cpp/kernels/quantized.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Dtype kFormats[] = {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt8};
constexpr double kTolerance = 2e-6;  // float32 sums of up to 70 products below 1

size_t at(int64_t index) { return static_cast<size_t>(index); }

/// The nearest number with `bits` bits after the first, ties to even; down to `least`, the exponent
/// from which on numbers lie no closer.
double nearest(double value, int bits, int least) {
  if (value == 0) return 0;
  const double step = std::ldexp(1.0, std::max(std::ilogb(value), least) - bits);
  return std::nearbyint(value / step) * step;
}

double stored(double value, Dtype dtype) {
  if (dtype == Dtype::kFloat16) return nearest(value, 10, -14);
  if (dtype == Dtype::kBfloat16) return nearest(value, 7, -126);
  return value;
}

/// A row in the 8 bits of a weight: whole steps of its largest magnitude / 127.
std::vector<double> in_8_bits(const float* row, int64_t length) {
  double largest = 0.0;
  for (int64_t i = 0; i < length; ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(row[i])));
  }
  std::vector<double> values;
  for (int64_t i = 0; i < length; ++i) {
    const double step = largest / 127;
    values.push_back(largest == 0 ? 0.0 : std::nearbyint(row[i] / step) * step);
  }
  return values;
}

/// c = a weightᵀ + bias in a format, the columns in one call or in the parts that start at `parts`.
struct Product {
  int64_t m, n, k;
  Dtype dtype;
  std::vector<float> a = random_floats(m * k, 1), weight = random_floats(n * k, 2),
                     bias = random_floats(n, 3);

  std::vector<float> run(bool with_bias, const std::vector<int64_t>& parts = {0}) const {
    PackedMatrix packed(n, k, dtype);
    packed.pack(weight.data());
    std::vector<float> c(at(m * n), NAN);
    for (size_t part = 0; part < parts.size(); ++part) {
      const int64_t end = part + 1 < parts.size() ? parts[part + 1] : n;
      std::vector<float> scratch(at(PackedMatrix::scratch_bytes(m, n, k, dtype) / 4));
      packed.multiply(a.data(), with_bias ? bias.data() : nullptr, c.data(), m, parts[part], end,
                      reinterpret_cast<std::byte*>(scratch.data()));
    }
    return c;
  }

  /// By plain loops, of weights as the format has them; and how far a product may be from that,
  /// which is nothing but the rounding of `a` where rows are quantized as they come.
  void check(bool with_bias) const {
    const std::vector<float> c = run(with_bias);
    for (int64_t i = 0; i < m; ++i) {
      const float* row = a.data() + i * k;
      const double low = std::min(0.0f, *std::min_element(row, row + k));
      const double high = std::max(0.0f, *std::max_element(row, row + k));
      for (int64_t j = 0; j < n; ++j) {
        double expected = with_bias ? bias[at(j)] : 0.0, magnitudes = 0.0;
        const std::vector<double> bytes = in_8_bits(weight.data() + j * k, k);
        for (int64_t p = 0; p < k; ++p) {
          const double one =
              dtype == Dtype::kInt8 ? bytes[at(p)] : stored(weight[at(j * k + p)], dtype);
          expected += row[p] * one;
          magnitudes += std::abs(one);
        }
        const double allowed = dtype == Dtype::kInt8 ? (high - low) / 127 / 2 * magnitudes : 0.0;
        CAPTURE(i);
        CAPTURE(j);
        check_close(c[at(i * n + j)], expected, kTolerance + allowed);
      }
    }
  }
};

/// Everything that a cache holds, (groups, positions, features), and no more than that.
std::vector<float> all_of(const CachedRows& rows, int64_t numbers) {
  constexpr int64_t kBehind = 64;
  std::vector<float> values(at(numbers + kBehind), NAN);
  rows.copy_to(values.data());
  CHECK(std::all_of(values.end() - kBehind, values.end(), [](float x) { return std::isnan(x); }));
  values.resize(at(numbers));
  return values;
}

}  // namespace

TEST_CASE("products of packed weights equal plain loops over what each format keeps of them") {
  for (const Dtype dtype : kFormats) {
    for (const int64_t n : {1, 7, 8, 9, 17}) {
      for (const int64_t k : {1, 3, 4, 5, 8, 17, 70}) {
        for (const int64_t m : {1, 2, 3, 7}) {
          CAPTURE(format_of(dtype).name);
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(m);
          const Product product{m, n, k, dtype};
          product.check(true);
          product.check(false);
        }
      }
    }
  }
}

TEST_CASE("a part of the columns gives the bits that all of them together give") {
  for (const Dtype dtype : kFormats) {
    CAPTURE(format_of(dtype).name);
    const Product product{5, 27, 33, dtype};
    CHECK(product.run(true, {0, 8, 24}) == product.run(true));
  }
}

TEST_CASE("int8 sums what is too deep for one sum of integers in parts") {
  constexpr int64_t kDeep = kernels::kQuantizedDepth + 5;
  PackedMatrix packed(1, kDeep, Dtype::kInt8);
  packed.pack(std::vector<float>(at(kDeep), 1.0f).data());
  const std::vector<float> a(at(kDeep), 0.5f);
  const float bias = 0.25f;
  std::vector<float> scratch(at(PackedMatrix::scratch_bytes(1, 1, kDeep, Dtype::kInt8) / 4));
  float c = NAN;
  packed.multiply(a.data(), &bias, &c, 1, 0, 1, reinterpret_cast<std::byte*>(scratch.data()));
  check_close(c, 0.5 * kDeep + 0.25, kTolerance);
  CHECK(packed.bytes() == PackedMatrix::bytes(1, kernels::kQuantizedDepth, Dtype::kInt8) +
                              PackedMatrix::bytes(1, 5, Dtype::kInt8));
}

TEST_CASE("a packed weight takes whole panels of eight rows in its format") {
  // Halves have 8 more numbers a panel; int8 pads terms to words, and has a scale and a sum a row.
  const std::tuple<int64_t, int64_t, Dtype, Count> cases[] = {
      {8, 5, Dtype::kFloat32, 8 * 5 * 4},        {9, 5, Dtype::kFloat32, 16 * 5 * 4},
      {8, 5, Dtype::kFloat16, 8 * 5 * 2 + 16},   {9, 5, Dtype::kBfloat16, 16 * 5 * 2 + 32},
      {8, 5, Dtype::kInt8, 8 * 8 + 8 * (4 + 4)}, {9, 4, Dtype::kInt8, 16 * 4 + 16 * (4 + 4)}};
  for (const auto& [n, k, dtype, bytes] : cases) {
    CAPTURE(format_of(dtype).name);
    CHECK(PackedMatrix::bytes(n, k, dtype) == bytes);
    const PackedMatrix packed(n, k, dtype);
    CHECK(packed.bytes() == bytes);
    CHECK(packed.n() == n);
    CHECK(packed.k() == k);
  }
  CHECK(PackedMatrix::scratch_bytes(100, 50, 30, Dtype::kFloat32) == 0);
}

TEST_CASE("other values are packed in place of those before") {
  for (const Dtype dtype : kFormats) {
    CAPTURE(format_of(dtype).name);
    const int64_t n = 9, k = 5;
    PackedMatrix packed(n, k, dtype), fresh(n, k, dtype);
    const std::vector<float> weight = random_floats(n * k, 7), a = random_floats(k, 8);
    packed.pack(random_floats(n * k, 6).data());
    packed.pack(weight.data());
    fresh.pack(weight.data());
    std::vector<float> scratch(at(PackedMatrix::scratch_bytes(1, n, k, dtype) / 4));
    std::vector<float> c(at(n)), expected(at(n));
    auto* bytes = reinterpret_cast<std::byte*>(scratch.data());
    packed.multiply(a.data(), nullptr, c.data(), 1, 0, n, bytes);
    fresh.multiply(a.data(), nullptr, expected.data(), 1, 0, n, bytes);
    CHECK(c == expected);
  }
}

TEST_CASE("a cache gives back what its format keeps of each number, and int8 keeps float32") {
  for (const Dtype dtype : kFormats) {
    for (const int64_t features : {1, 3, 4, 5, 8, 17}) {
      CAPTURE(format_of(dtype).name);
      CAPTURE(features);
      std::vector<float> fresh = random_floats(2 * 3 * features, 1);
      fresh[0] = 0x1.004p-10f, fresh[1] = 0x1.8p-25f, fresh[2] = -0x1.01p0f;  // ties, a subnormal
      CachedRows rows(2, features, dtype);
      rows.append(fresh.data(), 3);
      const std::vector<float> kept = all_of(rows, 2 * 3 * features);
      for (size_t i = 0; i < fresh.size(); ++i) {
        CHECK(kept[i] == static_cast<float>(stored(fresh[i], dtype)));
      }
    }
  }
}

TEST_CASE("positions are appended group by group, and a window drops the oldest") {
  const auto number = [](int64_t group, int64_t position, int64_t feature) {
    return static_cast<float>(100 * group + 2 * position + feature);  // exact in every format
  };
  constexpr int64_t kGroups = 2, kFeatures = 2, kWindow = 5;
  for (const Dtype dtype : kFormats) {
    CAPTURE(format_of(dtype).name);
    CachedRows rows(kGroups, kFeatures, dtype);
    int64_t end = 0;
    for (const int64_t count : {3, 1, 1, 4, 1, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) {
      const int64_t first = std::max<int64_t>(0, end - kWindow);
      std::vector<float> fresh;
      for (int64_t g = 0; g < kGroups; ++g) {
        for (int64_t i = 0; i < 2 * count; ++i) fresh.push_back(number(g, end + i / 2, i % 2));
      }
      rows.append(fresh.data(), count);
      end += count;
      std::vector<float> expected;
      for (int64_t g = 0; g < kGroups; ++g) {
        for (int64_t p = first; p < end; ++p) {
          for (int64_t f = 0; f < kFeatures; ++f) expected.push_back(number(g, p, f));
        }
      }
      CHECK(all_of(rows, kGroups * (end - first) * kFeatures) == expected);
      rows.keep(kWindow);
    }
    const std::vector<float> kept = all_of(rows, kGroups * kWindow * kFeatures);
    CHECK(kept.front() == number(0, end - kWindow, 0));
    CHECK(kept.back() == number(1, end - 1, 1));
  }
}

TEST_CASE("what was appended and not kept is replaced by the next positions") {
  CachedRows rows(1, 1, Dtype::kFloat32);
  const float kept[] = {1, 2}, stopped[] = {3, 4, 5}, next[] = {6};
  rows.append(kept, 2);
  rows.keep(100);
  rows.append(stopped, 3);
  rows.append(next, 1);
  CHECK(all_of(rows, 3) == std::vector<float>{1, 2, 6});
  rows.keep(100);
  rows.append(kept, 1);
  CHECK(all_of(rows, 4) == std::vector<float>{1, 2, 6, 1});
}

TEST_CASE("kernels read a group's rows where they are, in the cache's own format") {
  const std::vector<float> fresh = {1, 2, 3, 4, 5, 6, 7, 8};  // two groups, positions, features
  CachedRows floats(2, 2, Dtype::kInt8), halves(2, 2, Dtype::kBfloat16);
  floats.append(fresh.data(), 2);
  halves.append(fresh.data(), 2);
  const auto rows = std::get<kernels::ConstRows>(floats.rows(1));
  CHECK(rows.stride == 2);
  CHECK(std::equal(rows.data, rows.data + 4, fresh.begin() + 4));
  const auto stored_rows = std::get<kernels::HalfRows>(halves.rows(1));
  CHECK(stored_rows.format == kernels::HalfFormat::kBfloat16);
  CHECK(stored_rows.data[3] == 0x4100);  // 8
}

TEST_CASE("a cache grows by a quarter or by 16 positions, and takes 2 or 4 bytes a number") {
  for (const auto& [dtype, bytes] : {std::pair{Dtype::kFloat32, 4},
                                     {Dtype::kFloat16, 2},
                                     {Dtype::kBfloat16, 2},
                                     {Dtype::kInt8, 4}}) {
    CAPTURE(format_of(dtype).name);
    CachedRows rows(3, 5, dtype);
    CHECK(rows.bytes() == 0);
    const std::vector<float> fresh(3 * 100 * 5, 1.0f);
    rows.append(fresh.data(), 10);
    CHECK(rows.bytes() == 3 * (10 + 16) * 5 * bytes);
    rows.keep(100);
    rows.append(fresh.data(), 16);  // into the room that there is
    CHECK(rows.bytes() == 3 * (10 + 16) * 5 * bytes);
    rows.keep(100);
    rows.append(fresh.data(), 74);
    CHECK(rows.bytes() == 3 * (100 + 25) * 5 * bytes);
  }
}
