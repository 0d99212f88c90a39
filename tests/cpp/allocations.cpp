#include "allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "../../cpp/run/threads.h"

namespace {

std::atomic<int64_t> now = 0, most = 0, blocks = 0, at_work = 0;
std::atomic<int64_t> left = attnscope::testing::kNever;  // allocations before the one that fails
std::atomic<bool> failed = false;

}  // namespace

void* operator new(std::size_t bytes) {
  if (left >= 0 && left-- == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  void* const block = std::malloc(bytes > 0 ? bytes : 1);
  if (!block) throw std::bad_alloc();
  const int64_t all = now += static_cast<int64_t>(malloc_usable_size(block));
  for (int64_t seen = most; seen < all && !most.compare_exchange_weak(seen, all);) continue;
  ++blocks;
  if (attnscope::is_at_work()) ++at_work;
  return block;
}

/// What the standard library asks for where it can do without, a stable sort say.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* block) noexcept {
  if (block) now -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }

// A sanitizer has arrays of its own.
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }

namespace attnscope::testing {

int64_t allocated() { return now; }
int64_t most_allocated() { return most; }
int64_t allocations() { return blocks; }
int64_t allocations_at_work() { return at_work; }

void start_counting() {
  most = now.load();
  blocks = 0;
  at_work = 0;
}

void fail_after(int64_t allocations) {
  if (allocations != kNever) failed = false;
  left = allocations;
}

bool has_failed() { return failed; }

}  // namespace attnscope::testing
