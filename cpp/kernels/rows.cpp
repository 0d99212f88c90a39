#include "rows.h"

#include <algorithm>

#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kGroup = 4;  // rows that share each load of the vector, or of out

float dot(const float* a, const float* b, int64_t length) {
  Batch sum0(0.0f), sum1(0.0f);
  int64_t e = 0;
  for (; e + 2 * kLanes <= length; e += 2 * kLanes) {
    sum0 = madd(load(a + e), load(b + e), sum0);
    sum1 = madd(load(a + e + kLanes), load(b + e + kLanes), sum1);
  }
  float sum = xsimd::reduce_add(sum0 + sum1);
  for (; e < length; ++e) sum += a[e] * b[e];
  return sum;
}

void dot_group(const float* rows, const float* vector, int64_t length, float* scores) {
  Batch sums[kGroup] = {Batch(0.0f), Batch(0.0f), Batch(0.0f), Batch(0.0f)};
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    const Batch shared = load(vector + e);
    for (int64_t i = 0; i < kGroup; ++i)
      sums[i] = madd(load(rows + i * length + e), shared, sums[i]);
  }
  for (int64_t i = 0; i < kGroup; ++i) {
    scores[i] = xsimd::reduce_add(sums[i]);
    for (int64_t tail = e; tail < length; ++tail)
      scores[i] += rows[i * length + tail] * vector[tail];
  }
}

void add_group(const float* rows, const float* weights, int64_t length, float decay, float* out) {
  const Batch w0(weights[0]), w1(weights[1]), w2(weights[2]), w3(weights[3]), scale(decay);
  const float *r0 = rows, *r1 = r0 + length, *r2 = r1 + length, *r3 = r2 + length;
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    Batch sum = decay == 0.0f ? Batch(0.0f) : load(out + e) * scale;
    sum = madd(w0, load(r0 + e), sum);
    sum = madd(w1, load(r1 + e), sum);
    sum = madd(w2, load(r2 + e), sum);
    sum = madd(w3, load(r3 + e), sum);
    store(out + e, sum);
  }
  for (; e < length; ++e) {
    const float before = decay == 0.0f ? 0.0f : out[e] * decay;
    out[e] =
        before + weights[0] * r0[e] + weights[1] * r1[e] + weights[2] * r2[e] + weights[3] * r3[e];
  }
}

void add_row(const float* row, float weight, int64_t length, float decay, float* out) {
  const Batch w(weight), scale(decay);
  int64_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    const Batch before = decay == 0.0f ? Batch(0.0f) : load(out + e) * scale;
    store(out + e, madd(w, load(row + e), before));
  }
  for (; e < length; ++e) out[e] = (decay == 0.0f ? 0.0f : out[e] * decay) + weight * row[e];
}

}  // namespace

void dot_rows(const float* rows, const float* vector, float bias, int64_t count, int64_t length,
              float* scores) {
  int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup) dot_group(rows + i * length, vector, length, scores + i);
  for (; i < count; ++i) scores[i] = dot(rows + i * length, vector, length);
  for (i = 0; i < count; ++i) scores[i] += bias;
}

void add_weighted_rows(const float* rows, const float* weights, int64_t count, int64_t length,
                       float decay, float* out) {
  if (count == 0) {
    for (int64_t e = 0; e < length; ++e) out[e] = decay == 0.0f ? 0.0f : out[e] * decay;
  }
  int64_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    add_group(rows + i * length, weights + i, length, i == 0 ? decay : 1.0f, out);
  }
  for (; i < count; ++i) add_row(rows + i * length, weights[i], length, i == 0 ? decay : 1.0f, out);
}

}  // namespace attnscope::kernels
