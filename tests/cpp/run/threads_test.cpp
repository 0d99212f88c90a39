#include "../../../cpp/run/threads.h"

#include <pthread.h>
#include <sched.h>

#include <array>
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

TEST_CASE("a thread has the same ranges in every call, and goes through them in the asked order") {
  constexpr int64_t kGrain = 3, kRanges = 4;  // of each thread
  for (const int threads : kThreadCounts) {
    if (threads == 1) continue;
    set_thread_count(threads);
    for (int call = 0; call < 6; ++call) {
      const Order order = call % 2 == 0 ? Order::kForwards : Order::kBackwards;
      CAPTURE(threads);
      CAPTURE(call);
      std::vector<std::array<int64_t, kRanges>> begins(static_cast<size_t>(threads));
      std::vector<int64_t> taken(static_cast<size_t>(threads));
      std::atomic<int64_t> started = 0;
      parallel_for(
          threads * kRanges * kGrain, kGrain,
          [&](int64_t begin, int64_t) {
            const auto thread = static_cast<size_t>(thread_number());
            const int64_t round = taken[thread]++;
            if (round < kRanges) begins[thread][static_cast<size_t>(round)] = begin;
            // The others take a range each, so that none is left over for a faster thread.
            ++started;
            while (started < threads * (round + 1)) sched_yield();
          },
          order);
      for (int64_t thread = 0; thread < threads; ++thread) {
        CHECK(taken[static_cast<size_t>(thread)] == kRanges);
        for (int64_t round = 0; round < kRanges; ++round) {
          const int64_t range = order == Order::kForwards ? round : kRanges - 1 - round;
          const int64_t begin = (thread * kRanges + range) * kGrain;
          CHECK(begins[static_cast<size_t>(thread)][static_cast<size_t>(round)] == begin);
        }
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

TEST_CASE("a thread that is late takes no item that the next call still loads") {
  set_thread_count(kThreadCounts[std::size(kThreadCounts) - 1]);
  int mistakes = 0;
  for (int call = 0; call < 20'000; ++call) {
    const int64_t count = 20 + call % 41;
    parallel_for(count, 1, [](int64_t, int64_t) {});
    std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
    parallel_for_loaded(
        count, 1 + call % 4, [](int64_t, int64_t) {},
        [&](int64_t item, int64_t) { ++visits[static_cast<size_t>(item)]; });
    for (const std::atomic<int>& visit : visits) mistakes += visit != 1;
  }
  CHECK(mistakes == 0);
  set_thread_count(1);
}
