#include "../../../cpp/run/progress.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../../../cpp/run/threads.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// As many as the build can have.
struct Threads {
  explicit Threads(int count) {
#if defined(__EMSCRIPTEN__)
    count = 1;
#endif
    set_thread_count(count);
  }
  ~Threads() { set_thread_count(1); }
};

}  // namespace

TEST_CASE("a watched loop does the same work, and tells of it in order up to 1") {
  for (const int threads : {1, 3}) {
    const Threads pool(threads);
    for (const int64_t count : {1, 7, 1000, 12345}) {
      for (const int64_t grain : {1, 5, 60}) {
        CAPTURE(threads);
        CAPTURE(count);
        CAPTURE(grain);
        std::vector<int> visits(static_cast<size_t>(count), 0);
        std::vector<double> told;
        const auto tell = [&told](double done) { told.push_back(done); };
        {
          const Watch watch{Progress(tell)};
          CHECK(is_watched());
          parallel_for(count, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
          });
        }
        CHECK(!is_watched());
        CHECK(visits == std::vector<int>(static_cast<size_t>(count), 1));
        CHECK(std::is_sorted(told.begin(), told.end()));
        CHECK(told.back() == 1.0);
      }
    }
  }
}

TEST_CASE("the progress of a part of a part") {
  double told = -1;
  const auto tell = [&told](double done) { told = done; };
  const Progress part = Progress(tell).part(0.5, 1).part(0, 0.5);
  for (const double done : {0.0, 0.5, 1.0}) {
    part(done);
    CHECK(told == 0.5 + 0.25 * done);
  }
  CHECK(!Progress().part(0, 0.5));
}

TEST_CASE("what a watcher throws leaves the loop, after which everything works as before") {
  const Threads pool(2);
  int done = 0;
  const auto count_up = [&done](int64_t begin, int64_t end) {
    if (begin == 0) done = static_cast<int>(end);
  };
  const auto stop = [](double) { throw std::runtime_error("enough"); };
  {
    const Watch watch{Progress(stop)};
    CHECK_THROWS_WITH(parallel_for(1'000'000, 1, count_up), "enough");
  }
  CHECK(done < 1'000'000);
  parallel_for(10, 10, count_up);
  CHECK(done == 10);
}

TEST_CASE("a watcher may run something else, which has a watcher of its own or none") {
  int inner = 0, outer = 0;
  const auto count_inner = [&inner](double) { ++inner; };
  const auto count_outer = [&](double) {
    ++outer;
    parallel_for(1, 1, [](int64_t, int64_t) {});
    const Watch own{Progress(count_inner)};
    parallel_for(1, 1, [](int64_t, int64_t) {});
  };
  const Watch watch{Progress(count_outer)};
  parallel_for(1, 1, [](int64_t, int64_t) {});
  CHECK(outer == 1);
  CHECK(inner == 1);
}
