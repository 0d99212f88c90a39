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

using Work = std::function<void(int64_t, int64_t)>;

/// A change of a value that others wait for. Not std::thread and std::atomic's wait: in Emscripten
/// that wait polls and sleeps, and their errors bring printf, 5 kB of what a page loads.
class Change {
 public:
  /// Whoever changed the value calls this.
  void announce() {
    pthread_mutex_lock(&mutex_);  // who has seen the old value is asleep when this returns
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
  static constexpr int kLooks = 50'000;  // some 50 µs

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

/// Everyone, the caller too, takes chunks until none is left. The caller waits for chunks that
/// somebody took, and for nobody who slept through it: to wake a thread takes longer than most
/// layers. So a worker looks for more for a while before it sleeps.
class Pool {
 public:
  ~Pool() { resize(1); }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    stop_ = true;
    wake();
    for (const pthread_t worker : workers_) pthread_join(worker, nullptr);
    workers_.clear();
    stop_ = false;
    workers_.reserve(static_cast<size_t>(count - 1));
    const auto start = [](void* pool) -> void* {
      static_cast<Pool*>(pool)->serve();
      return nullptr;
    };
    for (int i = 1; i < count; ++i) {
      pthread_t worker;
      if (pthread_create(&worker, nullptr, start, this) != 0) {
        throw std::runtime_error("the engine has no thread left for this");
      }
      workers_.push_back(worker);
    }
  }

  void run(int64_t count, int64_t chunk, const Work& work) {
    count_ = count;
    chunk_ = chunk;
    work_ = &work;
    const int32_t chunks = static_cast<int32_t>((count + chunk - 1) / chunk);
    undone_ = chunks;
    left_ = chunks;  // from here on workers read what is above
    wake();
    take_chunks();
    for (int32_t undone = undone_; undone > 0; undone = undone_) {
      change_.await(undone_, undone);
    }
  }

 private:
  void wake() {
    ++round_;
    change_.announce();
  }

  void take_chunks() {
    for (int32_t left = left_; left > 0; left = left_) {
      if (!left_.compare_exchange_weak(left, left - 1)) continue;
      const int64_t begin = (left - 1) * chunk_;
      (*work_)(begin, std::min(begin + chunk_, count_));
      if (--undone_ == 0) change_.announce();
    }
  }

  void serve() {
    for (;;) {
      const uint32_t round = round_;
      if (stop_) return;
      take_chunks();
      change_.await(round_, round);
    }
  }

  std::vector<pthread_t> workers_;
  Change change_;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int32_t> left_ = 0, undone_ = 0;  // chunks
  int64_t count_ = 0, chunk_ = 1;
  const Work* work_ = nullptr;
};

Pool& pool() {
  static Pool pool;
  return pool;
}

}  // namespace

int thread_count() { return kHasThreads ? pool().size() : 1; }

void set_thread_count(int count) {
  if (count == thread_count()) return;
  if (!kHasThreads) throw std::invalid_argument("this build has no threads");
  pool().resize(count);
}

namespace {

const Progress* watcher = nullptr;  // of the one thread that calls parallel_for()

/// Tells the watcher, whom nobody watches meanwhile.
void tell(double done) {
  struct Pause {
    const Progress* paused = std::exchange(watcher, nullptr);
    ~Pause() { watcher = paused; }
  };
  const Pause pause;
  (*pause.paused)(done);
}

void share_out(int64_t count, int64_t grain, const Work& work) {
  const int64_t threads = thread_count();
  const int64_t chunks_per_thread = 4;  // so that a thread that starts late leaves no long tail
  const int64_t chunk = std::max(grain, count / (threads * chunks_per_thread) / grain * grain);
  if (threads == 1 || chunk >= count) {
    work(0, count);
  } else {
    pool().run(count, chunk, work);
  }
}

}  // namespace

Watch::Watch(Progress report) : report_(std::move(report)), outer_(watcher) { watcher = &report_; }

Watch::~Watch() { watcher = outer_; }

bool is_watched() { return watcher != nullptr; }

void parallel_for(int64_t count, int64_t grain, const Work& work) {
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
