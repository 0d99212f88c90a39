#include "rows.h"

#include <algorithm>
#include <cmath>

#include "sums.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

// Rows that share each load of the vector.
constexpr int64_t kDotted = 8;
constexpr int64_t kDottedTerms = 1024;  // that are added in float32: 256 in each lane

/// The products of at most kDottedTerms terms of `count` rows, at most kDotted; where there are
/// fewer, the last one stands in for those that are missing. As many chains of multiply-add hide
/// each other's latency.
void dot_group(ConstRows rows, const float* vector, int64_t count, int64_t length, float* scores) {
  Batch sums[kDotted];
  const float* row[kDotted];
  for (int64_t i = 0; i < kDotted; ++i) {
    sums[i] = Batch(0.0f);
    row[i] = rows.data + std::min(i, count - 1) * rows.stride;
  }
  const int64_t whole = length / kLanes * kLanes;
  for (const float *at = vector, *end = vector + whole; at != end; at += kLanes) {
    const Batch shared = load(at);
    for (int64_t i = 0; i < kDotted; ++i) {
      sums[i] = madd(load(row[i]), shared, sums[i]);
      row[i] += kLanes;
    }
  }
  for (int64_t i = 0; i < kDotted && i < count; ++i) {
    scores[i] = xsimd::reduce_add(sums[i]);
    for (int64_t e = whole; e < length; ++e)
      scores[i] += rows.data[i * rows.stride + e] * vector[e];
  }
}

// Rows that share each load of out, two vectors of each at a time: each needs a register.
constexpr int64_t kAdded = 4, kStep = 2 * kLanes;

void add_group(ConstRows rows, const float* weights, int64_t length, float* out) {
  Batch factors[kAdded];
  const float* row[kAdded];
  for (int64_t i = 0; i < kAdded; ++i) {
    factors[i] = Batch(weights[i]);
    row[i] = rows.data + i * rows.stride;
  }
  const int64_t whole = length / kStep * kStep;
  for (float *at = out, *end = out + whole; at != end; at += kStep) {
    Batch left = load(at), right = load(at + kLanes);
    for (int64_t i = 0; i < kAdded; ++i) {
      left = madd(load(row[i]), factors[i], left);
      right = madd(load(row[i] + kLanes), factors[i], right);
      row[i] += kStep;
    }
    store(at, left);
    store(at + kLanes, right);
  }
  for (int64_t e = whole; e < length; ++e) {
    for (int64_t i = 0; i < kAdded; ++i) out[e] += weights[i] * rows.data[i * rows.stride + e];
  }
}

void add_row(const float* row, float weight, int64_t length, float* out) {
  const Batch factor(weight);
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes)
    store(out + e, madd(load(row + e), factor, load(out + e)));
  for (; e < length; ++e) out[e] += weight * row[e];
}

/// y[e] = f(a[e], b[e]), for vectors and for what is left over.
template <class Function>
void map(const float* a, const float* b, int64_t length, float* y, Function f) {
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) store(y + e, f(load(a + e), load(b + e)));
  for (; e < length; ++e) y[e] = f(a[e], b[e]);
}

/// dot_rows() of more than kDottedTerms terms.
void dot_long_rows(ConstRows rows, const float* vector, float bias, int64_t count, int64_t length,
                   float* scores) {
  for (int64_t i = 0; i < count; i += kDotted) {
    const int64_t group = std::min(kDotted, count - i);
    double totals[kDotted] = {};
    for (int64_t first = 0; first < length; first += kDottedTerms) {
      float partial[kDotted];
      const ConstRows from{from_row(rows, i).data + first, rows.stride};
      dot_rows(from, vector + first, 0.0f, group, std::min(kDottedTerms, length - first), partial);
      add_to(partial, group, totals);
    }
    for (int64_t g = 0; g < group; ++g) scores[i + g] = static_cast<float>(totals[g]) + bias;
  }
}

}  // namespace

void dot_rows(ConstRows rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores) {
  if (length > kDottedTerms) return dot_long_rows(rows, vector, bias, count, length, scores);
  for (int64_t i = 0; i < count; i += kDotted) {
    dot_group(from_row(rows, i), vector, std::min(kDotted, count - i), length, scores + i);
  }
  for (int64_t i = 0; i < count; ++i) scores[i] += bias;
}

void add_weighted_rows(ConstRows rows, const float* weights, int64_t count, int64_t length,
                       float* out) {
  int64_t i = 0;
  for (; i + kAdded <= count; i += kAdded) {
    add_group(from_row(rows, i), weights + i, length, out);
  }
  for (; i < count; ++i) add_row(from_row(rows, i).data, weights[i], length, out);
}

void add(const float* a, const float* b, int64_t length, float* y) {
  map(a, b, length, y, [](auto one, auto other) { return one + other; });
}

void multiply(const float* a, const float* b, int64_t length, float* y) {
  map(a, b, length, y, [](auto one, auto other) { return one * other; });
}

void scale(const float* x, float factor, int64_t length, float* y) {
  map(x, x, length, y, [factor](auto one, auto) { return one * factor; });
}

void maximum(const float* a, const float* b, int64_t length, float* y) {
  map(a, b, length, y,
      [](auto one, auto other) { return xsimd::select(one > other || one != one, one, other); });
}

bool holds_nan(const float* x, int64_t length) {
  return std::any_of(x, x + length, [](float number) { return std::isnan(number); });
}

}  // namespace attnscope::kernels
