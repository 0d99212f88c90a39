// operator new and delete of the released modules. A graph is hundreds of small objects that live
// for microseconds; to take and free them one by one, under the allocator's lock, was a sixth of
// the time of an estimate. Here a small block that is freed waits for the next one of its size:
// Weinstock and Wulf 1988, "Quick Fit: an efficient algorithm for heap storage allocation".

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

constexpr std::size_t kStep = 16;   // bytes from one size to the next
constexpr std::size_t kSizes = 16;  // larger blocks go back to the allocator
static_assert(sizeof(Head) >= sizeof(Waiting));

// Each thread has its own: no lock. What waits was once in use at the same time.
thread_local Waiting* waiting[kSizes];

}  // namespace

void* operator new(std::size_t bytes) {
  // Sizes are 8, 24, 40, ...: with its head a block fills whole steps.
  if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
  const std::size_t steps = (bytes + kStep - 1 - sizeof(Head)) / kStep;
  if (steps < kSizes && waiting[steps]) {
    Waiting* const block = waiting[steps];
    waiting[steps] = block->next;
    return block;
  }
  auto* const head = static_cast<Head*>(std::malloc((steps + 1) * kStep));
  if (!head) throw std::bad_alloc();
  head->steps = steps;
  return head + 1;
}

void operator delete(void* block) noexcept {
  if (!block) return;
  Head* const head = static_cast<Head*>(block) - 1;
  if (head->steps >= kSizes) return std::free(head);
  waiting[head->steps] = new (block) Waiting{waiting[head->steps]};
}
