#include "peaks.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "../kernels/peaks.h"
#include "threads.h"

namespace attnscope {
namespace {

/// The shortest of several runs, in seconds: noise only ever adds.
template <class Work>
double fastest_seconds(int runs, const Work& work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

volatile float sink;  // a read of the results, without which compilers remove the work

}  // namespace

Peaks measure_peaks() {
  constexpr int kRuns = 6;
  constexpr int64_t kRounds = 20000, kChunks = 64;
  const double chain = fastest_seconds(kRuns, [] {
    parallel_for(kChunks, 1, [](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sink = kernels::madd_chain(kRounds);
    });
  });
  constexpr int64_t kFloats = int64_t{16} << 20, kGrain = int64_t{1} << 16;
  const std::vector<float> data(kFloats, 1.0f);
  const double stream = fastest_seconds(kRuns, [&data] {
    parallel_for(kFloats, kGrain, [&data](int64_t begin, int64_t end) {
      sink = kernels::read_stream(data.data() + begin, end - begin);
    });
  });
  return {static_cast<double>(kChunks * kernels::madd_chain_flops(kRounds)) / chain,
          static_cast<double>(kFloats * int64_t{sizeof(float)}) / stream};
}

}  // namespace attnscope
