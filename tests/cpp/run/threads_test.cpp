#include "../../../cpp/run/threads.h"

#include <pthread.h>

#include <atomic>
#include <numeric>

#include "../support.h"

using namespace attnscope;

namespace {

#if defined(__EMSCRIPTEN__)
constexpr int kThreadCounts[] = {1};
#else
constexpr int kThreadCounts[] = {1, 2, 5};
#endif

}  // namespace

TEST_CASE("every index is worked on exactly once, for any count, grain and number of threads") {
  for (const int threads : kThreadCounts) {
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

TEST_CASE("work that is too little to be shared out stays with the caller") {
  const int most = *std::max_element(std::begin(kThreadCounts), std::end(kThreadCounts));
  set_thread_count(most);
  const pthread_t caller = pthread_self();
  {
    const Alone alone(true);
    CHECK(thread_count() == 1);
    const Alone within(false);
    parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      CHECK(begin == 0);
      CHECK(end == 100);
      CHECK(pthread_equal(caller, pthread_self()));
    });
  }
  CHECK(thread_count() == most);
  set_thread_count(1);
}

TEST_CASE(
    "each item is loaded by the caller, in order, and then worked on while it holds its slot") {
  for (const int threads : kThreadCounts) {
    set_thread_count(threads);
    for (const int64_t count : {1, 2, 7, 300}) {
      for (const int64_t slots : {1, 2, 5}) {
        CAPTURE(threads);
        CAPTURE(count);
        CAPTURE(slots);
        const pthread_t caller = pthread_self();
        int64_t loaded = 0;
        std::vector<std::atomic<int64_t>> held(static_cast<size_t>(slots));
        for (std::atomic<int64_t>& item : held) item = -1;
        std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
        std::atomic<int> mistakes = 0;
        parallel_for_loaded(
            count, slots,
            [&](int64_t item, int64_t slot) {
              if (!pthread_equal(caller, pthread_self()) || item != loaded++) ++mistakes;
              if (held[static_cast<size_t>(slot)].exchange(item) != -1) ++mistakes;
            },
            [&](int64_t item, int64_t slot) {
              ++visits[static_cast<size_t>(item)];
              if (held[static_cast<size_t>(slot)].exchange(-1) != item) ++mistakes;
            });
        CHECK(loaded == count);
        CHECK(mistakes == 0);
        for (const std::atomic<int>& visit : visits) CHECK(visit == 1);
      }
    }
  }
  set_thread_count(1);
}
