#include "threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kHasThreads = false;
#else
constexpr bool kHasThreads = true;
#endif

using Work = std::function<void(int64_t, int64_t)>;

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
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    stop_ = false;
    for (int i = 1; i < count; ++i) workers_.emplace_back([this] { serve(); });
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
    for (int32_t undone = undone_; undone > 0; undone = undone_) undone_.wait(undone);
  }

 private:
  static constexpr int kLooks = 50'000;  // some 50 µs

  void wake() {
    ++round_;
    round_.notify_all();
  }

  void take_chunks() {
    for (int32_t left = left_; left > 0; left = left_) {
      if (!left_.compare_exchange_weak(left, left - 1)) continue;
      const int64_t begin = (left - 1) * chunk_;
      (*work_)(begin, std::min(begin + chunk_, count_));
      if (--undone_ == 0) undone_.notify_all();
    }
  }

  void serve() {
    for (;;) {
      const uint32_t round = round_;
      if (stop_) return;
      take_chunks();
      for (int looks = 0; looks < kLooks && round_.load(std::memory_order_relaxed) == round;)
        ++looks;
      round_.wait(round);
    }
  }

  std::vector<std::thread> workers_;
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
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> kSlice = std::chrono::milliseconds(8);
  constexpr double kMostGrowth = 8;
  const int64_t least = thread_count() * grain;
  int64_t slice = least;
  for (int64_t done = 0; done < count;) {
    const int64_t size = std::min(slice, count - done);
    const auto start = Clock::now();
    share_out(size, grain, [&](int64_t begin, int64_t end) { work(done + begin, done + end); });
    const std::chrono::duration<double> taken = Clock::now() - start;
    const double growth = std::min(kMostGrowth, kSlice / std::max(taken, kSlice / kMostGrowth));
    slice =
        std::max(least, static_cast<int64_t>(static_cast<double>(slice) * growth) / grain * grain);
    done += size;
    tell(static_cast<double>(done) / static_cast<double>(count));
  }
}

}  // namespace attnscope
