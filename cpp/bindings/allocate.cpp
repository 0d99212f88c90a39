// operator new and delete of the released modules.
//
// A graph is hundreds of small objects that live for microseconds; to take and free them one by
// one, under the allocator's lock, was a sixth of the time of an estimate. Here a small block that
// is freed waits for the next one of its size: Weinstock and Wulf 1988, "Quick Fit: an efficient
// algorithm for heap storage allocation". Those that wait between freed large blocks keep these
// from becoming one again, so they are given back when there is no memory left.
//
// Large blocks are the numbers that kernels read, and start with a line of the cache: vectors that
// lie across two lines take twice as long to load.

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/// In front of every block.
struct alignas(8) Head {
  std::size_t steps;
};

struct Waiting {
  Waiting* next;
};

constexpr std::size_t kStep = 16;   // bytes from one small size to the next
constexpr std::size_t kSizes = 16;  // of them
constexpr std::size_t kLine = 64;   // bytes
constexpr std::size_t kMost = SIZE_MAX - 2 * kLine;
static_assert(sizeof(Head) >= sizeof(Waiting));

// Each thread has its own: no lock. What waits was once in use at the same time.
thread_local Waiting* waiting[kSizes];

void give_back_waiting() {
  for (Waiting*& first : waiting) {
    while (Waiting* const block = first) {
      first = block->next;
      std::free(reinterpret_cast<char*>(block) - sizeof(Head));
    }
  }
}

char* take(std::size_t alignment, std::size_t bytes) {
  void* memory = memalign(alignment, bytes);
  if (!memory) {
    give_back_waiting();
    memory = memalign(alignment, bytes);
  }
  if (!memory) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes > kMost) throw std::bad_alloc();
  // Small sizes are 8, 24, 40, ...: with its head a block fills whole steps.
  const std::size_t steps = (bytes + kStep - 1 - sizeof(Head)) / kStep;
  const bool small = steps < kSizes;
  if (small && waiting[steps]) {
    Waiting* const block = waiting[steps];
    waiting[steps] = block->next;
    return block;
  }
  const std::size_t before = small ? sizeof(Head) : kLine;
  char* const block = take(before, before + steps * kStep + sizeof(Head)) + before;
  reinterpret_cast<Head*>(block)[-1].steps = steps;
  return block;
}

void operator delete(void* block) noexcept {
  if (!block) return;
  const std::size_t steps = static_cast<Head*>(block)[-1].steps;
  if (steps >= kSizes) return std::free(static_cast<char*>(block) - kLine);
  waiting[steps] = new (block) Waiting{waiting[steps]};
}
