#include "peaks.h"

#include "vector.h"

namespace attnscope::kernels {
namespace {

constexpr int64_t kChains =
    12;  // enough to hide the latency of the multiply-add, few enough for registers

}  // namespace

int64_t madd_chain_flops(int64_t rounds) { return rounds * kChains * kLanes * 2; }

float madd_chain(int64_t rounds) {
  Batch sums[kChains];
  for (int64_t i = 0; i < kChains; ++i) sums[i] = Batch(static_cast<float>(i));
  const Batch factor(0.999f), term(0.001f);
  for (int64_t round = 0; round < rounds; ++round) {
    for (int64_t i = 0; i < kChains; ++i) sums[i] = madd(sums[i], factor, term);
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
