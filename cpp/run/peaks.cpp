#include "peaks.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "../kernels/peaks.h"
#include "clock.h"
#include "threads.h"

namespace attnscope {
namespace {

/// The shortest of all runs within 60 ms, in seconds: noise only ever adds. The first runs of a
/// WebAssembly engine are slow, until its optimizing compiler has replaced the code.
template <class Work>
double fastest_seconds(const Work& work) {
  const double end = seconds() + 0.06;
  double best = std::numeric_limits<double>::infinity();
  for (double start = seconds(); start < end; start = seconds()) {
    work();
    best = std::min(best, seconds() - start);
  }
  return best;
}

volatile float sink;  // a read of the results, without which compilers remove the work

}  // namespace

Peaks measure_peaks(int64_t read_bytes) {
  constexpr double kPatience = 1;  // seconds
  const double latest = seconds() + kPatience;
  while (running_threads() < thread_count() && seconds() < latest) continue;
  constexpr int64_t kRounds = 2000, kChunks = 64;  // 0.2 ms at 64 GFLOP/s
  const double chain = fastest_seconds([] {
    parallel_for(kChunks, 1, [](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        sink = kernels::madd_chain(static_cast<float>(i), kRounds);
    });
  });
  constexpr int64_t kGrain = 1024;
  const int64_t floats = read_bytes / int64_t{sizeof(float)};
  const std::vector<float> data(static_cast<size_t>(floats), 1.0f);
  const double stream = fastest_seconds([&data, floats] {
    parallel_for(floats, kGrain, [&data](int64_t begin, int64_t end) {
      sink = kernels::read_stream(data.data() + begin, end - begin);
    });
  });
  return {static_cast<double>(kChunks * kernels::madd_chain_flops(kRounds)) / chain,
          static_cast<double>(floats * int64_t{sizeof(float)}) / stream};
}

}  // namespace attnscope
