#pragma once

// What operator new hands out, which the test program counts.

#include <doctest/doctest.h>

#include <cstdint>
#include <new>

namespace attnscope::testing {

/// Bytes that have not come back.
int64_t allocated();

/// The most that they have been since start_counting().
int64_t most_allocated();

/// Allocations since then.
int64_t allocations();

/// Those of them by threads that were at work (run/threads.h).
int64_t allocations_at_work();

void start_counting();

/// Memory runs out once: after so many further allocations, one throws std::bad_alloc. kNever takes
/// that back.
inline constexpr int64_t kNever = -1;
void fail_after(int64_t allocations);

/// Whether that allocation has failed, since the last fail_after() of a number.
bool has_failed();

/// Calls work() again and again, each time with one more allocation that succeeds, until it gets
/// all the memory that it asks for. Calls check_unchanged() after each failure; returns how many
/// there were.
template <class Work, class Check>
int64_t fail_each_allocation(Work work, Check check_unchanged) {
  for (int64_t failures = 0;; ++failures) {
    fail_after(failures);
    try {
      work();
      fail_after(kNever);
      REQUIRE_FALSE(has_failed());
      return failures;
    } catch (const std::bad_alloc&) {
      fail_after(kNever);
    }
    check_unchanged();
  }
}

}  // namespace attnscope::testing
