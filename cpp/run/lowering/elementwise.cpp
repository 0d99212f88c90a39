// Operations on single numbers: activations, sums, products, factors.

#include <algorithm>
#include <cfloat>

#include "../../kernels/activation.h"
#include "../../kernels/rows.h"
#include "../../ops/activation.h"
#include "../../ops/arithmetic.h"
#include "../../ops/broadcast.h"
#include "../../ops/dropout.h"
#include "../../ops/softcap.h"
#include "../../ops/weighted_sum.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 4096;

/// A loop that has no parameter.
template <void (*kFunction)(const float*, int64_t, float*)>
void without_parameter(const float* x, int64_t length, float, float* y) {
  kFunction(x, length, y);
}

kernels::Map activation(const Activation& op) {
  switch (op.kind()) {
    case Activation::Kind::kTanh:
      return {without_parameter<kernels::tanh>};
    case Activation::Kind::kRelu:
      return {without_parameter<kernels::relu>};
    case Activation::Kind::kSigmoid:
      return {without_parameter<kernels::sigmoid>};
    case Activation::Kind::kGelu:
      return {without_parameter<kernels::gelu>};
    case Activation::Kind::kGeluTanh:
      return {without_parameter<kernels::gelu_tanh>};
    case Activation::Kind::kSilu:
      break;
  }
  return {without_parameter<kernels::silu>};
}

/// The same of a gradient.
template <void (*kFunction)(const float*, const float*, int64_t, float*)>
void without_parameter(const float* dy, const float* from, int64_t length, float, float* dx) {
  kFunction(dy, from, length, dx);
}

kernels::MapGradient activation_gradient(const Activation& op) {
  switch (op.kind()) {
    case Activation::Kind::kTanh:
      return {without_parameter<kernels::tanh_gradient>};
    case Activation::Kind::kRelu:
      return {without_parameter<kernels::relu_gradient>};
    case Activation::Kind::kSigmoid:
      return {without_parameter<kernels::sigmoid_gradient>};
    case Activation::Kind::kGelu:
      return {without_parameter<kernels::gelu_gradient>};
    case Activation::Kind::kGeluTanh:
      return {without_parameter<kernels::gelu_tanh_gradient>};
    case Activation::Kind::kSilu:
      break;
  }
  return {without_parameter<kernels::silu_gradient>};
}

void scale_by(const float* x, int64_t length, float factor, float* y) {
  kernels::scale(x, factor, length, y);
}

void scale_gradient(const float* dy, const float*, int64_t length, float factor, float* dx) {
  kernels::scale(dy, factor, length, dx);
}

void keep_within(const float* x, int64_t length, float cap, float* y) {
  kernels::scale(x, 1.0f / cap, length, y);
  kernels::tanh(y, length, y);
  kernels::scale(y, cap, length);
}

/// A smaller one would be 0 as a float, and numbers divided by it NaN.
float cap_of(const Softcap& op) { return std::max(static_cast<float>(op.cap()), FLT_MIN); }

/// dy (1 - (y / cap)²).
void keep_within_gradient(const float* dy, const float* y, int64_t length, float cap, float* dx) {
  constexpr int64_t kAtOnce = 256;
  float shares[kAtOnce];
  for (int64_t i = 0; i < length; i += kAtOnce) {
    const int64_t count = std::min(kAtOnce, length - i);
    kernels::scale(y + i, 1.0f / cap, count, shares);
    kernels::tanh_gradient(dy + i, shares, count, dx + i);
  }
}

Fusion elementwise_gradient(const Site& site) {
  const kernels::MapGradient gradient = map_gradient_of(site.op<ElementwiseGradient>().of());
  const TensorId dy = site.input(0), from = site.input(1), dx = site.output();
  Fusion fusion = site.alone({dy, from});
  fusion.kernel = [=, count = count_of(site.output_shape())](Workspace& workspace) {
    const float* upper = workspace.read(dy);
    const float* source = workspace.read(from);
    float* to = workspace.write(dx);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      gradient(upper + begin, source + begin, end - begin, to + begin);
    });
  };
  return fusion;
}

/// with_row(a, b, length, y) for each row of `a` where `b` has as many numbers in each, and
/// with_number(a, number of b, length, y) where it has one.
template <class WithRow, class WithNumber>
Fusion combined(const Site& site, WithRow with_row, WithNumber with_number) {
  const Shape &whole = site.output_shape(), &part = site.input_shape(1);
  const int64_t length = whole.back(), rows = count_of(whole) / length;
  const bool one_a_row = part.back() != length;  // 1, for every feature
  const TensorId a = site.input(0), b = site.input(1), y = site.output();
  Fusion fusion = site.alone({a, b});
  fusion.kernel = [=](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* to = workspace.write(y);
    parallel_for(rows, std::max<int64_t>(1, kGrain / length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* other = right + broadcast_row(part, whole, row);
        const float* from = left + row * length;
        if (one_a_row) {
          with_number(from, *other, length, to + row * length);
        } else {
          with_row(from, other, length, to + row * length);
        }
      }
    });
  };
  return fusion;
}

Fusion add(const Site& site) {
  return combined(site, kernels::add, [](const float* x, float added, int64_t length, float* y) {
    for (int64_t i = 0; i < length; ++i) y[i] = x[i] + added;
  });
}

/// Tensors of one shape in runs that cross their rows, which may be short.
Fusion multiply(const Site& site) {
  if (site.input_shape(1) != site.output_shape()) {
    return combined(site, kernels::multiply,
                    [](const float* x, float factor, int64_t length, float* y) {
                      kernels::scale(x, factor, length, y);
                    });
  }
  const TensorId a = site.input(0), b = site.input(1), y = site.output();
  Fusion fusion = site.alone({a, b});
  fusion.kernel = [=, count = count_of(site.output_shape())](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* to = workspace.write(y);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      kernels::multiply(left + begin, right + begin, end - begin, to + begin);
    });
  };
  return fusion;
}

/// Rows times a number each.
Fusion weigh(const Site& site) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId w = site.input(0), x = site.input(1), y = site.output();
  Fusion fusion = site.alone({w, x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* weights = workspace.read(w);
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, std::max<int64_t>(1, kGrain / length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::scale(from + row * length, weights[row], length, to + row * length);
      }
    });
  };
  return fusion;
}

const LoweredMap<Activation> kActivation([](const Activation& op) { return activation(op); },
                                         [](const Activation& op) {
                                           return activation_gradient(op);
                                         });
const LoweredMap<Scale> kScale(
    [](const Scale& op) -> kernels::Map { return {scale_by, static_cast<float>(op.factor())}; },
    [](const Scale& op) -> kernels::MapGradient {
      return {scale_gradient, static_cast<float>(op.factor())};
    });
const LoweredMap<Softcap> kSoftcap(
    [](const Softcap& op) -> kernels::Map { return {keep_within, cap_of(op)}; },
    [](const Softcap& op) -> kernels::MapGradient { return {keep_within_gradient, cap_of(op)}; });
const Lowered<ElementwiseGradient> kElementwiseGradient(elementwise_gradient);
const Lowered<Add> kAdd(add);
const Lowered<Multiply> kMultiply(multiply);
const Lowered<Dropout> kDropout(multiply);  // in training, by noise
const Lowered<Weigh> kWeigh(weigh);

}  // namespace
}  // namespace attnscope
