#include "rows.h"

#include <algorithm>

#include "vector.h"

namespace attnscope::kernels {
namespace {

// Rows that share each load of the vector.
constexpr int64_t kDotted = 8;

/// The scores of `count` rows, at most kDotted; where there are fewer, the last one stands in for
/// those that are missing. As many chains of multiply-add hide each other's latency.
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

}  // namespace

void dot_rows(ConstRows rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores) {
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

void sum_rows(ConstRows rows, int64_t count, int64_t length, float* out) {
  constexpr int64_t kBlock = 64;  // rows
  int64_t e = 0;
  const auto columns = [&](auto width) {
    constexpr int64_t kWidth = decltype(width)::value;
    for (; e + kWidth * kLanes <= length; e += kWidth * kLanes) {
      Batch total[kWidth];
      for (Batch& one : total) one = Batch(0.0f);
      for (int64_t start = 0; start < count; start += kBlock) {
        const int64_t end = std::min(count, start + kBlock);
        Batch part[kWidth];
        for (Batch& one : part) one = Batch(0.0f);
        for (int64_t i = start; i < end; ++i) {
          const float* row = rows.data + i * rows.stride + e;
          for (int64_t w = 0; w < kWidth; ++w) part[w] += load(row + w * kLanes);
        }
        for (int64_t w = 0; w < kWidth; ++w) total[w] += part[w];
      }
      for (int64_t w = 0; w < kWidth; ++w) store(out + e + w * kLanes, total[w]);
    }
  };
  columns(std::integral_constant<int64_t, 4>());
  columns(std::integral_constant<int64_t, 1>());
  for (; e < length; ++e) {
    float total = 0.0f;
    for (int64_t start = 0; start < count; start += kBlock) {
      float part = 0.0f;
      for (int64_t i = start; i < std::min(count, start + kBlock); ++i) {
        part += rows.data[i * rows.stride + e];
      }
      total += part;
    }
    out[e] = total;
  }
}

float sum_of(const float* x, int64_t length) {
  constexpr int64_t kBlock = 1024;
  float total = 0.0f;
  for (int64_t start = 0; start < length; start += kBlock) {
    const int64_t end = std::min(length, start + kBlock);
    Batch sums[2] = {Batch(0.0f), Batch(0.0f)};
    int64_t i = start;
    for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
      sums[0] += load(x + i);
      sums[1] += load(x + i + kLanes);
    }
    float part = xsimd::reduce_add(sums[0] + sums[1]);
    for (; i < end; ++i) part += x[i];
    total += part;
  }
  return total;
}

float dot(const float* a, const float* b, int64_t length) {
  Batch sums[4] = {Batch(0.0f), Batch(0.0f), Batch(0.0f), Batch(0.0f)};
  int64_t i = 0;
  for (; i + 4 * kLanes <= length; i += 4 * kLanes) {
    for (int64_t lane = 0; lane < 4; ++lane) {
      sums[lane] = madd(load(a + i + lane * kLanes), load(b + i + lane * kLanes), sums[lane]);
    }
  }
  float sum = xsimd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < length; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace attnscope::kernels
