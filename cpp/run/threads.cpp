#include "threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "clock.h"

namespace attnscope {
namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kHasThreads = false;
#else
constexpr bool kHasThreads = true;
#endif

using Work = FunctionRef<void(int64_t, int64_t)>;
using ItemWork = FunctionRef<void(int32_t)>;

/// A change of a value that others wait for. Not std::thread and std::atomic's wait: in Emscripten
/// that wait polls and sleeps, and their errors bring printf, 5 kB of what a page loads.
class Change {
 public:
  /// Whoever changed the value calls this.
  void announce() {
    pthread_mutex_lock(&mutex_);  // whoever saw the old value is waiting by now
    pthread_mutex_unlock(&mutex_);
    pthread_cond_broadcast(&changed_);
  }

  /// Returns when `value` is no longer `old`.
  template <class T>
  void await(const std::atomic<T>& value, T old) {
    for (int looks = 0; looks < kLooks; ++looks) {
      if (value.load(std::memory_order_relaxed) != old) return;
    }
    pthread_mutex_lock(&mutex_);
    while (value == old) pthread_cond_wait(&changed_, &mutex_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  static constexpr int kLooks = 300'000;  // some 300 µs

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

thread_local bool at_work = false;

/// Work that a thread does: at_work says so meanwhile.
template <class Call>
void as_work(Call call) {
  at_work = true;
  call();
  at_work = false;
}

/// Items [next, end) that are left to take, and the order in which to take them. One number holds
/// all three: a late thread, which has read them in an earlier run, takes an item only if they are
/// the same now.
class Share {
 public:
  void set(int64_t next, int64_t end, Order order) {
    state_ = (order == Order::kBackwards ? kBackwards : 0) | static_cast<uint64_t>(next) * kNext |
             static_cast<uint64_t>(end);
  }

  /// Adds an item at the end.
  void add() { ++state_; }

  /// Takes an item; kNoItem if none is left.
  int32_t take() {
    uint64_t state = state_, taken;
    int32_t item;
    do {
      const auto next = static_cast<int32_t>(state / kNext & INT32_MAX);
      const auto end = static_cast<int32_t>(state);
      if (next == end) return kNoItem;
      const bool backwards = state >= kBackwards;
      item = backwards ? end - 1 : next;
      taken = backwards ? state - 1 : state + kNext;
    } while (!state_.compare_exchange_weak(state, taken));
    return item;
  }

  static constexpr int32_t kNoItem = -1;

 private:
  static constexpr uint64_t kNext = uint64_t{1} << 32, kBackwards = uint64_t{1} << 63;

  std::atomic<uint64_t> state_ = 0;
};

/// Every thread, the caller too, takes the items of its own share, then those left in the others'.
/// So each thread reads the same part of a weight in all steps that share it, and finds it in its
/// cache. The caller waits for items that a worker has taken, but not for workers that are still
/// asleep: waking a worker takes longer than most layers. For the same reason a worker looks for
/// more work for a while before it sleeps.
class Pool {
 public:
  ~Pool() { resize(1); }

  /// 0 of who calls run().
  static int number() { return number_; }

  /// Workers look for work for a while.
  void wake() {
    ++round_;
    change_.announce();
  }

  int size() const { return size_; }
  int running() const { return running_ + 1; }

  void resize(int count) {
    stop_ = true;
    wake();
    for (int number = 1; number < size_; ++number) pthread_join(threads_[number].id, nullptr);
    stop_ = false;
    threads_ = std::make_unique<Thread[]>(static_cast<size_t>(count));
    size_ = count;
    const auto start = [](void* it) -> void* {
      const Thread& thread = *static_cast<const Thread*>(it);
      number_ = thread.number;
      thread.pool->serve();
      return nullptr;
    };
    for (int number = 1; number < count; ++number) {
      Thread& thread = threads_[number];
      thread.pool = this;
      thread.number = number;
      if (pthread_create(&thread.id, nullptr, start, &thread) != 0) {
        size_ = number;
        throw std::runtime_error("the engine has no thread left for this");
      }
    }
  }

  void run(int32_t items, Order order, const ItemWork& work) {
    begin(items, work);
    const int64_t threads = size_;
    for (int64_t number = 0; number < threads; ++number) {
      threads_[number].share.set(number * items / threads, (number + 1) * items / threads, order);
    }
    wake();
    finish();
  }

  void run_loaded(int32_t items, int32_t slots, Work load, Work work) {
    std::vector<std::atomic<bool>> taken(static_cast<size_t>(slots));
    const auto work_and_free_slot = [&](int32_t item) {
      work(item, item % slots);
      taken[static_cast<size_t>(item % slots)] = false;
    };
    const ItemWork item_work = work_and_free_slot;  // which workers may call until the end
    begin(items, item_work);
    loading_ = true;
    Share& loaded = threads_[0].share;
    loaded.set(0, 0, Order::kForwards);
    for (int32_t item = 0; item < items; ++item) {
      std::atomic<bool>& slot = taken[static_cast<size_t>(item % slots)];
      for (int32_t undone = undone_; slot; undone = undone_) {
        if (!take_item() && slot) change_.await(undone_, undone);
      }
      slot = true;
      load(item, item % slots);
      loaded.add();
      wake();
    }
    loading_ = false;
    finish();
  }

 private:
  /// All shares are empty, so that no worker reads `work` before it is set.
  void begin(int32_t items, const ItemWork& work) {
    work_ = &work;
    undone_ = items;
  }

  void finish() {
    while (take_item()) continue;
    for (int32_t undone = undone_; undone > 0; undone = undone_) {
      change_.await(undone_, undone);
    }
  }

  /// Works on an item; false when none is left.
  bool take_item() {
    const int threads = size_;
    for (int i = 0; i < threads; ++i) {
      const int32_t item = threads_[(number_ + i) % threads].share.take();
      if (item == Share::kNoItem) continue;
      as_work([&] { (*work_)(item); });
      if (--undone_ == 0 || loading_) change_.announce();
      return true;
    }
    return false;
  }

  void serve() {
    ++running_;
    for (;;) {
      const uint32_t round = round_;
      if (stop_) break;
      while (take_item()) continue;
      change_.await(round_, round);
    }
    --running_;
  }

  struct Thread {
    Pool* pool;
    int number;
    pthread_t id;
    Share share;
  };

  static thread_local int number_;
  std::unique_ptr<Thread[]> threads_ = std::make_unique<Thread[]>(1);
  std::atomic<int> size_ = 1;
  Change change_;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<int> running_ = 0;  // workers
  std::atomic<bool> stop_ = false, loading_ = false;
  std::atomic<int32_t> undone_ = 0;  // items
  std::atomic<const ItemWork*> work_ = nullptr;
};

thread_local int Pool::number_ = 0;

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

namespace {

bool is_alone = false;

}  // namespace

Alone::Alone(bool is) : outer_(is_alone) { is_alone = is_alone || is; }

Alone::~Alone() { is_alone = outer_; }

int thread_count() { return kHasThreads && !is_alone ? pool().size() : 1; }

bool is_at_work() { return at_work; }

int thread_number() { return Pool::number(); }

int running_threads() { return kHasThreads ? pool().running() : 1; }

void set_thread_count(int count) {
  if (count == thread_count()) return;
  if (!kHasThreads) throw std::invalid_argument("this build has no threads");
  pool().resize(count);
}

namespace {

const Progress* watcher = nullptr;  // of the one thread that calls parallel_for()

/// Tells the watcher. Until it returns there is no watcher: what it calls may itself run layers.
void tell(double done) {
  struct Pause {
    const Progress* paused = std::exchange(watcher, nullptr);
    ~Pause() { watcher = paused; }
  };
  const Pause pause;
  (*pause.paused)(done);
}

void share_out(int64_t count, int64_t grain, Order order, Work work) {
  const int64_t threads = thread_count();
  const int64_t chunks_per_thread = 4;  // so that a thread that starts late leaves no long tail
  const int64_t chunk = std::max(grain, count / (threads * chunks_per_thread) / grain * grain);
  if (threads == 1 || chunk >= count) {
    as_work([&] { work(0, count); });
  } else {
    const int32_t chunks = static_cast<int32_t>(parts_of(count, chunk));
    pool().run(chunks, order, [&](int32_t item) {
      const int64_t begin = item * chunk;
      work(begin, std::min(begin + chunk, count));
    });
  }
}

}  // namespace

Watch::Watch(const Progress& report) : report_(report), outer_(watcher) { watcher = &report_; }

Watch::~Watch() { watcher = outer_; }

WatchedPart::WatchedPart(double from, double to) : outer_(watcher) {
  if (!outer_) return;
  report_ = outer_->part(from, to);
  watcher = &report_;
}

WatchedPart::~WatchedPart() { watcher = outer_; }

bool is_watched() { return watcher != nullptr; }

void rouse_threads(double work) {
  if (thread_count() > 1 && work >= kWorthSharing) pool().wake();
}

void parallel_for_loaded(int64_t count, int64_t slots, Work load, Work work) {
  if (thread_count() > 1) {
    return pool().run_loaded(static_cast<int32_t>(count), static_cast<int32_t>(slots), load, work);
  }
  for (int64_t item = 0; item < count; ++item) {
    load(item, 0);
    as_work([&] { work(item, 0); });
  }
}

void parallel_tasks(int64_t count, bool late, FunctionRef<void(int64_t)> load,
                    FunctionRef<void(int64_t)> work, Order order) {
  if (late) {
    return parallel_for_loaded(
        count, count, [load](int64_t task, int64_t) { load(task); },
        [work](int64_t task, int64_t) { work(task); });
  }
  parallel_for(
      count, 1,
      [work](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) work(task);
      },
      order);
}

void parallel_for(int64_t count, int64_t grain, Work work, Order order) {
  if (!is_watched()) return share_out(count, grain, order, work);
  constexpr double kSlice = 0.008;  // seconds
  constexpr double kMostGrowth = 8;
  const int64_t least = thread_count() * grain;
  int64_t slice = least;
  for (int64_t done = 0; done < count;) {
    const int64_t size = std::min(slice, count - done);
    const double start = seconds();
    share_out(size, grain, order,
              [&](int64_t begin, int64_t end) { work(done + begin, done + end); });
    const double taken = seconds() - start;
    const double growth = std::min(kMostGrowth, kSlice / std::max(taken, kSlice / kMostGrowth));
    slice =
        std::max(least, static_cast<int64_t>(static_cast<double>(slice) * growth) / grain * grain);
    done += size;
    tell(static_cast<double>(done) / static_cast<double>(count));
  }
}

}  // namespace attnscope
