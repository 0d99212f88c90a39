#include "../../../cpp/kernels/optimizer.h"

#include <algorithm>

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr int64_t kLengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 1000};
constexpr double kTolerance = 5e-7;  // some four roundings of float32

size_t at(int64_t index) { return static_cast<size_t>(index); }

/// Numbers from 0.05 to 1.05, as means of squares are.
std::vector<float> squares(int64_t length, uint32_t seed) {
  std::vector<float> values = random_floats(length, seed);
  for (float& one : values) one = one * one + 0.05f;
  return values;
}

/// Calls run(y) on a copy of `values` with one more number behind it, and holds each number against
/// expected(i); the one behind stays.
template <class Run, class Expected>
void check_each(std::vector<float> values, Run run, Expected expected) {
  constexpr float kBehind = 123.0f;
  const size_t length = values.size();
  values.push_back(kBehind);
  run(values.data());
  for (size_t i = 0; i < length; ++i) {
    CAPTURE(i);
    check_close(values[i], expected(i), kTolerance);
  }
  CHECK(values[length] == kBehind);
}

}  // namespace

TEST_CASE("add_scaled equals double precision around the lane count, in place of either too") {
  for (const int64_t length : kLengths) {
    CAPTURE(length);
    const std::vector<float> a = random_floats(length, 1), b = random_floats(length, 2);
    for (const float factor : {0.0f, -1.5f, 0.01f}) {
      CAPTURE(factor);
      const auto expected = [&](size_t i) { return a[i] + static_cast<double>(factor) * b[i]; };
      const auto add = [&](const float* x, const float* y, float* to) {
        kernels::add_scaled(x, y, factor, length, to);
      };
      check_each(
          std::vector<float>(at(length), NAN), [&](float* y) { add(a.data(), b.data(), y); },
          expected);
      check_each(a, [&](float* y) { add(y, b.data(), y); }, expected);
      check_each(b, [&](float* y) { add(a.data(), y, y); }, expected);
    }
  }
}

TEST_CASE("moving averages equal double precision around the lane count") {
  for (const int64_t length : kLengths) {
    for (const double beta : {0.0, 0.9, 0.999}) {
      CAPTURE(length);
      CAPTURE(beta);
      const std::vector<float> x = random_floats(length, 1), old = random_floats(length, 2);
      const std::vector<float> old_square = squares(length, 3);
      const float rest = static_cast<float>(1 - beta);
      check_each(
          old, [&](float* average) { kernels::move_average(x.data(), rest, length, average); },
          [&](size_t i) { return old[i] + (1 - beta) * (static_cast<double>(x[i]) - old[i]); });
      check_each(
          old_square,
          [&](float* square) {
            kernels::move_square(x.data(), static_cast<float>(beta), rest, length, square);
          },
          [&](size_t i) {
            return beta * old_square[i] + (1 - beta) * static_cast<double>(x[i]) * x[i];
          });
    }
  }
}

TEST_CASE("an average of numbers that do not change is that number to the last bit") {
  const std::vector<float> x = random_floats(33, 1);
  std::vector<float> average = x;
  kernels::move_average(x.data(), 0.1f, 33, average.data());
  CHECK(average == x);
}

TEST_CASE("rms_direction equals double precision around the lane count, with a mean and without") {
  for (const int64_t length : kLengths) {
    for (const float eps : {1e-8f, 0.5f}) {
      for (const bool centred : {false, true}) {
        CAPTURE(length);
        CAPTURE(eps);
        CAPTURE(centred);
        const std::vector<float> gradient = random_floats(length, 1), square = squares(length, 2);
        std::vector<float> mean = random_floats(length, 3);
        for (float& one : mean) one *= 0.1f;  // its square stays below the mean of squares
        check_each(
            std::vector<float>(at(length), NAN),
            [&](float* direction) {
              kernels::rms_direction(gradient.data(), square.data(),
                                     centred ? mean.data() : nullptr, eps, length, direction);
            },
            [&](size_t i) {
              const double middle = centred ? mean[i] : 0.0;
              return gradient[i] / (std::sqrt(square[i] - middle * middle) + eps);
            });
      }
    }
  }
}

TEST_CASE("adam_step equals double precision around the lane count") {
  const kernels::AdamRates rates[] = {{1.0f, 1e-3f, 1.0f, 1e-8f},     // late in a training
                                      {1.0f, 0.01f, 0.0316f, 1e-8f},  // a first step
                                      {0.99f, 0.5f, 0.7f, 0.25f}};    // with decay, and a large eps
  for (const int64_t length : kLengths) {
    for (const auto& rate : rates) {
      CAPTURE(length);
      CAPTURE(rate.step_size);
      const std::vector<float> old = random_floats(length, 1), first = random_floats(length, 2);
      const std::vector<float> second = squares(length, 3);
      check_each(
          old,
          [&](float* parameter) {
            kernels::adam_step(first.data(), second.data(), rate, length, parameter);
          },
          [&](size_t i) {
            const double root = std::sqrt(static_cast<double>(second[i])) / rate.root_correction;
            return static_cast<double>(rate.kept) * old[i] -
                   static_cast<double>(rate.step_size) * first[i] / (root + rate.eps);
          });
    }
  }
}

TEST_CASE("where nothing was learned yet, a step of Adam divides by eps and moves nothing") {
  const std::vector<float> zeros(9, 0.0f), old = random_floats(9, 1);
  std::vector<float> parameter = old;
  kernels::adam_step(zeros.data(), zeros.data(), {1.0f, 1e-3f, 0.03f, 1e-8f}, 9, parameter.data());
  CHECK(parameter == old);
}

TEST_CASE("NaN goes through to its own number alone") {
  for (const int64_t length : {5, 8}) {
    for (int64_t place = 0; place < length; ++place) {
      CAPTURE(place);
      std::vector<float> x = random_floats(length, 1), y = random_floats(length, 2);
      x[at(place)] = NAN;
      kernels::move_average(x.data(), 0.1f, length, y.data());
      for (int64_t i = 0; i < length; ++i) CHECK(std::isnan(y[at(i)]) == (i == place));
    }
  }
}
