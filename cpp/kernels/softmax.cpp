#include "softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "exp.h"
#include "rows.h"
#include "runs.h"

namespace attnscope::kernels {
namespace {

constexpr float kLog2E = std::numbers::log2e_v<float>;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

}  // namespace

float largest(const float* scores, int64_t length) {
  Batch most[kWide];
  for (Batch& one : most) one = Batch(kHidden);
  int64_t i = 0;
  for (; i + kWide * kLanes <= length; i += kWide * kLanes) {
    for (int64_t w = 0; w < kWide; ++w) most[w] = at_least(most[w], load(scores + i + w * kLanes));
  }
  for (; i + kLanes <= length; i += kLanes) most[0] = at_least(most[0], load(scores + i));
  const Batch all = at_least(at_least(most[0], most[1]), at_least(most[2], most[3]));
  float maximum = std::max(std::max(all.get(0), all.get(1)), std::max(all.get(2), all.get(3)));
  for (; i < length; ++i) {
    if (maximum < scores[i]) maximum = scores[i];
  }
  return maximum;
}

// A copy in softmax() would be 225 bytes more of what a page loads.
[[gnu::noinline]] float exponentiate(float* scores, int64_t length, float scale, float maximum) {
  // The maximum is subtracted before the product: of the largest score nothing may be left, however
  // large it is.
  if (maximum == kHidden) maximum = 0.0f;
  const Batch shift(maximum), factor(scale * kLog2E);
  double total = 0.0;
  for (int64_t i = 0; i < length;) {
    const int64_t end = std::min(length, i + kSummed * kRun);
    Batch sum(0.0f);
    for (; i < end; i += kRun) {
      float last[kRun];
      float* at = scores + i;
      const bool whole = i + kRun <= length;
      if (!whole) {
        std::fill(std::copy(at, scores + length, last), last + kRun, kHidden);
        at = last;
      }
      Batch x[kWide];
      for (int64_t w = 0; w < kWide; ++w) x[w] = (load(at + w * kLanes) - shift) * factor;
      exp2_below_zero(x);
      for (int64_t w = 0; w < kWide; ++w) store(at + w * kLanes, x[w]);
      sum += (x[0] + x[1]) + (x[2] + x[3]);
      if (!whole) std::copy(last, last + (length - i), scores + i);
    }
    const float block = xsimd::reduce_add(sum);
    if (length <= kSummed * kRun) return block;  // rows of a few keys are many
    total += static_cast<double>(block);
  }
  return static_cast<float>(total);
}

void softmax(const float* scores, const float* mask, int64_t length, float* weights) {
  if (mask) {
    add(scores, mask, length, weights);
  } else if (weights != scores) {
    std::copy_n(scores, length, weights);
  }
  const float sum = exponentiate(weights, length, 1.0f, largest(weights, length));
  scale(weights, reciprocal(sum), length);
}

namespace {

/// Σ y (dy - shift) / Σ y, or 0 where all of y are.
double shifted_mean(const float* y, const float* dy, int64_t length, float shift) {
  double totals[2] = {0.0, 0.0};
  const Batch all(shift);
  int64_t i = sum_runs(length, totals, [&](int64_t at, auto& sums, int v) {
    const Batch weights = load(y + at);
    sums[0][v] = madd(weights, load(dy + at) - all, sums[0][v]);
    sums[1][v] += weights;
  });
  for (; i < length; ++i) {
    totals[0] += static_cast<double>(y[i]) * static_cast<double>(dy[i] - shift);
    totals[1] += static_cast<double>(y[i]);
  }
  return totals[1] == 0.0 ? 0.0 : totals[0] / totals[1];
}

}  // namespace

void softmax_gradient(const float* y, const float* dy, int64_t length, float* dx) {
  // The mean once more, of what is left: the error of the first is the same for every score, and
  // would add up in gradients that are sums over scores, in which the gradients by these cancel.
  const auto mean = static_cast<float>(shifted_mean(y, dy, length, 0.0f));
  const auto rest = static_cast<float>(shifted_mean(y, dy, length, mean));
  const Batch means(mean), rests(rest);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(dx + i, load(y + i) * ((load(dy + i) - means) - rests));
  }
  for (; i < length; ++i) dx[i] = y[i] * ((dy[i] - mean) - rest);
}

void log_softmax(const float* x, int64_t length, float* y) {
  const float maximum = largest(x, length);
  std::copy_n(x, length, y);
  // The logarithm is subtracted last: beside a large maximum it would be rounded away.
  const float log = std::log(exponentiate(y, length, 1.0f, maximum));
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(y + i, (load(x + i) - Batch(maximum)) - Batch(log));
  }
  for (; i < length; ++i) y[i] = (x[i] - maximum) - log;
}

void log_softmax_gradient(const float* y, const float* dy, int64_t length, float* dx) {
  const auto sum = static_cast<float>(kernels::sum(dy, length));
  std::copy_n(y, length, dx);
  exponentiate(dx, length, 1.0f, 0.0f);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(dx + i, load(dy + i) - load(dx + i) * Batch(sum));
  }
  for (; i < length; ++i) dx[i] = dy[i] - dx[i] * sum;
}

}  // namespace attnscope::kernels
