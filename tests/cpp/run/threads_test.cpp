#include "../../../cpp/run/threads.h"

#include <atomic>
#include <numeric>

#include "../support.h"

using namespace attnscope;

TEST_CASE("every index is worked on exactly once, for any count, grain and number of threads") {
#if defined(__EMSCRIPTEN__)
  const int thread_counts[] = {1};
#else
  const int thread_counts[] = {1, 2, 5};
#endif
  for (const int threads : thread_counts) {
    set_thread_count(threads);
    for (const int64_t count : {1, 2, 7, 64, 1000}) {
      for (const int64_t grain : {1, 3, 64, 2000}) {
        CAPTURE(threads);
        CAPTURE(count);
        CAPTURE(grain);
        std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
        parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          CHECK_MESSAGE(begin % grain == 0, "ranges start at multiples of the grain");
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        for (const std::atomic<int>& visit : visits) CHECK(visit == 1);
      }
    }
  }
  set_thread_count(1);
}
