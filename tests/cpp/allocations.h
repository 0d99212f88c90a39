#pragma once

// What operator new hands out, which the test program counts.

#include <cstdint>

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

/// Memory runs out once: after so many further allocations, one throws std::bad_alloc. A negative
/// number takes that back.
void fail_after(int64_t allocations);

/// Whether an allocation has failed since the last fail_after().
bool has_failed();

}  // namespace attnscope::testing
