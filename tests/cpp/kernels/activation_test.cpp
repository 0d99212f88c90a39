#include "../../../cpp/kernels/activation.h"

#include <limits>
#include <vector>

#include "../../../cpp/ops/activation.h"
#include "../support.h"

using attnscope::Activation;
using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

using Function = void (*)(const float*, int64_t, float*);

/// Every magnitude from the smallest to saturation, of both signs, in steps of a thousandth.
std::vector<float> probes(float largest) {
  std::vector<float> x{0.0f, -0.0f, 1e-30f, -1e-30f, 1e30f};
  for (float size = 1e-8f; size < largest; size *= 1.001f) {
    x.push_back(size);
    x.push_back(-size);
  }
  return x;
}

/// The error in ULP of f(x), or of |x| times `share` where that is larger.
void check_ulp(Function kernel, Activation::Kind kind, const std::vector<float>& x, double ulp,
               double share = 0.0) {
  std::vector<float> y(x.size(), NAN);
  kernel(x.data(), static_cast<int64_t>(x.size()), y.data());
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = Activation(kind).apply(x[i]);
    const double size = std::max(std::abs(expected), share * std::abs(static_cast<double>(x[i])));
    const double error = std::abs(y[i] - expected);
    if (error <= ulp * 0x1p-23 * size) continue;
    CAPTURE(x[i]);
    CHECK(error / (0x1p-23 * size) <= ulp);
  }
}

}  // namespace

TEST_CASE("activations are within the ULP that their header promises") {
  check_ulp(kernels::tanh, Activation::Kind::kTanh, probes(100.0f), 2.0);
  check_ulp(kernels::sigmoid, Activation::Kind::kSigmoid, probes(87.0f), 3.0);
  check_ulp(kernels::silu, Activation::Kind::kSilu, probes(80.0f), 4.0);
  check_ulp(kernels::gelu, Activation::Kind::kGelu, probes(100.0f), 5.0, 0.5);
  check_ulp(kernels::gelu_tanh, Activation::Kind::kGeluTanh, probes(100.0f), 4.0, 0.5);
}

TEST_CASE("activations of any length, in place, with infinity and NaN") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::pair<Function, Activation::Kind> all[] = {
      {kernels::tanh, Activation::Kind::kTanh},
      {kernels::relu, Activation::Kind::kRelu},
      {kernels::sigmoid, Activation::Kind::kSigmoid},
      {kernels::silu, Activation::Kind::kSilu},
      {kernels::gelu, Activation::Kind::kGelu},
      {kernels::gelu_tanh, Activation::Kind::kGeluTanh}};
  for (const auto& [kernel, kind] : all) {
    for (const int64_t length : {1, 3, 4, 15, 16, 17, 37}) {
      CAPTURE(length);
      const std::vector<float> x = random_floats(length, 1);
      std::vector<float> y = x;
      y.push_back(7.0f);
      kernel(y.data(), length, y.data());
      for (size_t i = 0; i < x.size(); ++i) check_close(y[i], Activation(kind).apply(x[i]), 1e-6);
      CHECK(y.back() == 7.0f);
    }
    float special[] = {kInfinity, NAN, 1.0f};
    kernel(special, 3, special);
    CHECK(special[0] == static_cast<float>(Activation(kind).apply(kInfinity)));
    CHECK(std::isnan(special[1]));
    CHECK(!std::isnan(special[2]));
  }
}

TEST_CASE("gradients of activations are within the ULP that their header promises") {
  using Gradient = void (*)(const float*, const float*, int64_t, float*);
  struct Checked {
    Gradient kernel;
    Activation::Kind kind;
    double ulp;
    float largest;  // of what it is given: 1 where that is the output
  };
  const Checked all[] = {{kernels::relu_gradient, Activation::Kind::kRelu, 0.0, 100.0f},
                         {kernels::tanh_gradient, Activation::Kind::kTanh, 1.0, 1.0f},
                         {kernels::sigmoid_gradient, Activation::Kind::kSigmoid, 1.0, 1.0f},
                         {kernels::silu_gradient, Activation::Kind::kSilu, 4.0, 1e6f},
                         {kernels::gelu_gradient, Activation::Kind::kGelu, 4.0, 1e6f},
                         {kernels::gelu_tanh_gradient, Activation::Kind::kGeluTanh, 8.0, 1e6f}};
  for (const auto& [kernel, kind, ulp, largest] : all) {
    CAPTURE(static_cast<int>(kind));
    std::vector<float> from = probes(largest);
    if (largest == 1.0f) from[4] = 1.0f;  // of 1e30
    const std::vector<float> ones(from.size(), 1.0f);
    std::vector<float> slopes(from.size(), NAN);
    kernel(ones.data(), from.data(), static_cast<int64_t>(from.size()), slopes.data());
    for (size_t i = 0; i < from.size(); ++i) {
      const double expected = Activation(kind).derivative(from[i]);
      const double error = std::abs(slopes[i] - expected) / std::max(1.0, std::abs(expected));
      if (error <= ulp * 0x1p-23) continue;
      CAPTURE(from[i]);
      CHECK(error / 0x1p-23 <= ulp);
    }
    for (const int64_t length : {1, 3, 4, 15, 16, 17, 37}) {
      CAPTURE(length);
      const std::vector<float> x = random_floats(length, 1), dy = random_floats(length, 2);
      std::vector<float> apart(x.size(), NAN), over_x = x, over_dy = dy;
      kernel(dy.data(), x.data(), length, apart.data());
      kernel(dy.data(), over_x.data(), length, over_x.data());
      kernel(over_dy.data(), x.data(), length, over_dy.data());
      CHECK(over_x == apart);
      CHECK(over_dy == apart);
      for (size_t i = 0; i < x.size(); ++i) {
        check_close(apart[i], dy[i] * Activation(kind).derivative(x[i]), 2e-6);
      }
    }
  }
}
