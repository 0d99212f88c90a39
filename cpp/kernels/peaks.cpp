#include "peaks.h"

#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kChains =
    12;  // enough to hide the latency of the multiply-add, few enough for registers

}  // namespace

int64_t madd_chain_flops(int64_t rounds) { return rounds * kChains * kLanes * 2; }

float madd_chain(float factor, int64_t rounds) {
  // The factors are no constants: V8 would build a constant anew for each use.
  const Batch left(factor), right(factor * 0.5f);
  Batch sums[kChains];
  for (Batch& sum : sums) sum = Batch(0.0f);
  for (int64_t round = 0; round < rounds; ++round) {
    for (Batch& sum : sums) sum = madd(left, right, sum);
  }
  Batch total = sums[0];
  for (int64_t i = 1; i < kChains; ++i) total += sums[i];
  return xsimd::reduce_add(total);
}

float read_stream(const float* data, int64_t length) {
  Batch sums[4] = {Batch(0.0f), Batch(0.0f), Batch(0.0f), Batch(0.0f)};
  int64_t i = 0;
  for (; i + 4 * kLanes <= length; i += 4 * kLanes) {
    for (int64_t j = 0; j < 4; ++j) sums[j] += load(data + i + j * kLanes);
  }
  float sum = xsimd::reduce_add(sums[0] + sums[1] + sums[2] + sums[3]);
  for (; i < length; ++i) sum += data[i];
  return sum;
}

}  // namespace attnscope::kernels
