#include "../../../cpp/kernels/rotary.h"

#include <cmath>
#include <vector>

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

TEST_CASE("rotate is within the ULP that its header promises, around the lane count") {
  for (const int64_t half : {1, 2, 3, 4, 5, 7, 8, 16, 33, 64}) {
    for (const bool interleaved : {false, true}) {
      CAPTURE(half);
      CAPTURE(interleaved);
      const std::vector<float> x = random_floats(2 * half, 1), cosines = random_floats(half, 2),
                               sines = random_floats(half, 3);
      std::vector<float> y(x.size() + 1, 7.0f);
      kernels::rotate(x.data(), cosines.data(), sines.data(), half, interleaved, y.data());
      const size_t count = static_cast<size_t>(half);
      const auto check = [&](float got, double one, double other) {
        CHECK(std::abs(got - (one + other)) <= 0x1p-23 * (std::abs(one) + std::abs(other)));
      };
      for (size_t k = 0; k < count; ++k) {
        const double a = x[interleaved ? 2 * k : k], b = x[interleaved ? 2 * k + 1 : count + k];
        check(y[k], a * cosines[k], -b * sines[k]);
        check(y[count + k], b * cosines[k], a * sines[k]);
      }
      CHECK(y.back() == 7.0f);
    }
  }
}

TEST_CASE("rotate_back turns back what rotate has turned") {
  for (const int64_t half : {1, 2, 3, 4, 5, 7, 8, 16, 33, 64}) {
    for (const bool interleaved : {false, true}) {
      CAPTURE(half);
      CAPTURE(interleaved);
      const std::vector<float> x = random_floats(2 * half, 1);
      std::vector<float> cosines, sines, turned(x.size(), NAN), back(x.size() + 1, 7.0f);
      for (const float angle : random_floats(half, 2)) {
        cosines.push_back(std::cos(3 * angle));
        sines.push_back(std::sin(3 * angle));
      }
      kernels::rotate(x.data(), cosines.data(), sines.data(), half, interleaved, turned.data());
      kernels::rotate_back(turned.data(), cosines.data(), sines.data(), half, interleaved,
                           back.data());
      for (size_t i = 0; i < x.size(); ++i) check_close(back[i], x[i], 1e-6);
      CHECK(back.back() == 7.0f);
    }
  }
}
