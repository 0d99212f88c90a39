#include "threads.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool kHasThreads = false;
#else
constexpr bool kHasThreads = true;
#endif

using Work = std::function<void(int64_t, int64_t)>;

/// Workers sleep on `round_`; each new round they take chunks until none is left.
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
    for (int i = 1; i < count; ++i)
      workers_.emplace_back([this, round = round_.load()] { serve(round); });
  }

  void run(int64_t count, int64_t grain, const Work& work) {
    count_ = count;
    grain_ = grain;
    work_ = &work;
    next_ = 0;
    busy_ = static_cast<int>(workers_.size());
    wake();
    take_chunks();
    for (int busy = busy_; busy > 0; busy = busy_) busy_.wait(busy);
  }

 private:
  void wake() {
    ++round_;
    round_.notify_all();
  }

  void take_chunks() {
    for (int64_t begin = next_.fetch_add(grain_); begin < count_; begin = next_.fetch_add(grain_)) {
      (*work_)(begin, std::min(begin + grain_, count_));
    }
  }

  void serve(uint32_t seen) {
    for (;;) {
      round_.wait(seen);
      seen = round_;
      if (stop_) return;
      take_chunks();
      if (--busy_ == 0) busy_.notify_all();
    }
  }

  std::vector<std::thread> workers_;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> busy_ = 0;
  std::atomic<int64_t> next_ = 0;
  int64_t count_ = 0, grain_ = 1;
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

void parallel_for(int64_t count, int64_t grain, const Work& work) {
  const int64_t threads = thread_count();
  const int64_t chunks_per_thread = 4;  // so that a thread that starts late leaves no long tail
  const int64_t chunk = std::max(grain, count / (threads * chunks_per_thread) / grain * grain);
  if (threads == 1 || chunk >= count) {
    work(0, count);
  } else {
    pool().run(count, chunk, work);
  }
}

}  // namespace attnscope
