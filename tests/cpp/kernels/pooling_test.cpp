#include "../../../cpp/kernels/pooling.h"

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

TEST_CASE("numbers that equal a maximum are counted, and share its gradient") {
  for (const int64_t length : {1, 3, 4, 5, 9}) {
    CAPTURE(length);
    const size_t count = static_cast<size_t>(length);
    const std::vector<float> y = random_floats(length, 1), dy = random_floats(length, 2);
    std::vector<float> x = y, counts(count + 1, 1.0f), dx(count + 1, 7.0f);
    for (size_t e = 0; e < count; e += 2) x[e] = -2.0f;
    x.back() = NAN;
    kernels::count_equal(x.data(), y.data(), length, counts.data());
    kernels::share_equal(x.data(), y.data(), dy.data(), counts.data(), length, dx.data());
    for (size_t e = 0; e < count; ++e) {
      const bool equal = e % 2 == 1 && e + 1 < count;
      CHECK(counts[e] == (equal ? 2.0f : 1.0f));
      CHECK(dx[e] == (equal ? dy[e] / 2.0f : 0.0f));
    }
    CHECK(counts.back() == 1.0f);
    CHECK(dx.back() == 7.0f);
  }
}
