#pragma once

// One pool of threads for the whole program. Builds without threads run everything in the caller.

#include <cstdint>

#include "function_ref.h"
#include "progress.h"

namespace attnscope {

/// Threads that parallel_for() uses, the caller included; 1 until set_thread_count() is called, and
/// while an Alone lives.
int thread_count();

/// Which of them calls this: 0 is the one that calls parallel_for(), the others follow.
int thread_number();

/// Whether the calling thread is at work for one of the functions below: what it calls then must
/// neither throw nor allocate, which tests look at.
bool is_at_work();

/// Those of them that have started: the engine starts them while others work.
int running_threads();

/// Starts or stops workers so that `count` threads, the caller included, share each parallel_for().
/// Throws std::invalid_argument when this build has no threads and count > 1.
void set_thread_count(int count);

/// How many parts of `size`, of which the last may be smaller, make up `count`.
constexpr int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/// The size of parts of `count` that are about alike: as few as make each no larger than `most`,
/// then rounded up to a multiple of `unit`.
constexpr int64_t even_part(int64_t count, int64_t most, int64_t unit) {
  return parts_of(count, parts_of(count, most) * unit) * unit;
}

/// The order in which a thread goes through its ranges. With causal attention the last ones have
/// most to do: started first, they leave no thread to work alone at the end.
enum class Order { kForwards, kBackwards };

/// Calls work(begin, end) on disjoint ranges that cover [0, count), on all threads, and returns
/// when every range is done. Calls with the same `count` and `grain` give a thread the same ranges,
/// unless another thread is late. Ranges are multiples of `grain`, but for the last. `work` must
/// not throw, allocate or call parallel_for(). The function that a Watch reports to may do both.
void parallel_for(int64_t count, int64_t grain, FunctionRef<void(int64_t begin, int64_t end)> work,
                  Order order = Order::kBackwards);

/// Wakes threads that will soon be needed for so many operations, where these are worth it: waking
/// takes as long as a small layer does.
void rouse_threads(double work);

/// Calls load(item, slot) and then work(item, slot) for each item of [0, count). An item has its
/// slot, one of `slots`, for itself until its work() returns. The caller loads one item after the
/// other; all threads work. `work` must not allocate; neither function may throw or call
/// parallel_for().
void parallel_for_loaded(int64_t count, int64_t slots,
                         FunctionRef<void(int64_t item, int64_t slot)> load,
                         FunctionRef<void(int64_t item, int64_t slot)> work);

/// Calls work(task) for each task of [0, count), on all threads. Where inputs are `late`
/// (run/inputs.h), the caller's load() of this task and of all before it has returned by then, and
/// tasks are taken as they are loaded, in place of `order`. `work` must not allocate; neither
/// function may throw or call parallel_for().
void parallel_tasks(int64_t count, bool late, FunctionRef<void(int64_t task)> load,
                    FunctionRef<void(int64_t task)> work, Order order = Order::kBackwards);

/// Multiply-accumulates and other operations below which work is done before another thread has
/// begun: some 10 µs.
inline constexpr double kWorthSharing = 250'000;

/// While it lives, where `is` says so, the caller does all work by itself.
class Alone {
 public:
  explicit Alone(bool is);
  ~Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  bool outer_;
};

/// While it lives, each parallel_for() goes through its work in slices of some milliseconds, and
/// tells `report` after each how much of it is done.
class Watch {
 public:
  explicit Watch(const Progress& report);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Progress report_;
  const Progress* outer_;
};

/// While it lives, what a kernel's next parallel_for() tells of is the part from `from` to `to` of
/// what the kernel does, where it calls several.
class WatchedPart {
 public:
  WatchedPart(double from, double to);
  ~WatchedPart();
  WatchedPart(const WatchedPart&) = delete;
  WatchedPart& operator=(const WatchedPart&) = delete;

 private:
  Progress report_;
  const Progress* outer_;
};

/// Whether a Watch lives, so that work ought to come in small portions.
bool is_watched();

/// Multiply-accumulates of such a portion: some milliseconds.
inline constexpr int64_t kWatchedMacs = 200'000'000;

}  // namespace attnscope
