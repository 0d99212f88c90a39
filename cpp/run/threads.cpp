#include "threads.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
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

/// All threads, the caller's too, take items until none is left. The caller then waits for items
/// that a worker has taken, but not for workers that are still asleep: to wake one takes longer
/// than most layers. For the same reason a worker looks for more work for a while before it sleeps.
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

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  int running() const { return running_ + 1; }

  void resize(int count) {
    stop_ = true;
    wake();
    for (const Worker& worker : workers_) pthread_join(worker.thread, nullptr);
    workers_.clear();
    stop_ = false;
    workers_.reserve(static_cast<size_t>(count - 1));  // a worker reads its own entry
    const auto start = [](void* it) -> void* {
      const Worker& worker = *static_cast<const Worker*>(it);
      number_ = worker.number;
      worker.pool->serve();
      return nullptr;
    };
    for (int number = 1; number < count; ++number) {
      Worker& worker = workers_.emplace_back(Worker{this, number, {}});
      if (pthread_create(&worker.thread, nullptr, start, &worker) != 0) {
        workers_.pop_back();
        throw std::runtime_error("the engine has no thread left for this");
      }
    }
  }

  void run(int32_t items, const ItemWork& work) {
    begin(items, work);
    ready_ = items;
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
    for (int32_t item = 0; item < items; ++item) {
      std::atomic<bool>& slot = taken[static_cast<size_t>(item % slots)];
      for (int32_t undone = undone_; slot; undone = undone_) {
        if (!take_item() && slot) change_.await(undone_, undone);
      }
      slot = true;
      load(item, item % slots);
      ++ready_;
      wake();
    }
    loading_ = false;
    finish();
  }

 private:
  /// No item is ready yet, so no worker reads `work` before it is set.
  void begin(int32_t items, const ItemWork& work) {
    ready_ = 0;
    next_ = 0;
    work_ = &work;
    undone_ = items;
  }

  void finish() {
    while (take_item()) continue;
    for (int32_t undone = undone_; undone > 0; undone = undone_) {
      change_.await(undone_, undone);
    }
  }

  /// Works on an item; false when none is ready.
  bool take_item() {
    int32_t item = next_;
    do {
      if (item >= ready_) return false;
    } while (!next_.compare_exchange_weak(item, item + 1));
    as_work([&] { (*work_)(item); });
    if (--undone_ == 0 || loading_) change_.announce();
    return true;
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

  struct Worker {
    Pool* pool;
    int number;
    pthread_t thread;
  };

  static thread_local int number_;
  std::vector<Worker> workers_;
  Change change_;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<int> running_ = 0;  // workers
  std::atomic<bool> stop_ = false, loading_ = false;
  std::atomic<int32_t> next_ = 0, ready_ = 0, undone_ = 0;  // items
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

void share_out(int64_t count, int64_t grain, Work work) {
  const int64_t threads = thread_count();
  const int64_t chunks_per_thread = 4;  // so that a thread that starts late leaves no long tail
  const int64_t chunk = std::max(grain, count / (threads * chunks_per_thread) / grain * grain);
  if (threads == 1 || chunk >= count) {
    as_work([&] { work(0, count); });
  } else {
    // From the end, where causal attention has most to do.
    const int32_t chunks = static_cast<int32_t>(parts_of(count, chunk));
    pool().run(chunks, [&](int32_t item) {
      const int64_t begin = (chunks - 1 - item) * chunk;
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
                    FunctionRef<void(int64_t)> work) {
  if (late) {
    return parallel_for_loaded(
        count, count, [load](int64_t task, int64_t) { load(task); },
        [work](int64_t task, int64_t) { work(task); });
  }
  parallel_for(count, 1, [work](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) work(task);
  });
}

void parallel_for(int64_t count, int64_t grain, Work work) {
  if (!is_watched()) return share_out(count, grain, work);
  constexpr double kSlice = 0.008;  // seconds
  constexpr double kMostGrowth = 8;
  const int64_t least = thread_count() * grain;
  int64_t slice = least;
  for (int64_t done = 0; done < count;) {
    const int64_t size = std::min(slice, count - done);
    const double start = seconds();
    share_out(size, grain, [&](int64_t begin, int64_t end) { work(done + begin, done + end); });
    const double taken = seconds() - start;
    const double growth = std::min(kMostGrowth, kSlice / std::max(taken, kSlice / kMostGrowth));
    slice =
        std::max(least, static_cast<int64_t>(static_cast<double>(slice) * growth) / grain * grain);
    done += size;
    tell(static_cast<double>(done) / static_cast<double>(count));
  }
}

}  // namespace attnscope
