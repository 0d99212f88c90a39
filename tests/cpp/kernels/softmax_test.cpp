#include "../../../cpp/kernels/softmax.h"

#include <algorithm>
#include <limits>

#include "../../../cpp/kernels/pooling.h"
#include "../../../cpp/kernels/rows.h"
#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr double kTolerance =
    1e-6;  // exponentials within 3 ULP, a sum of at most 70 terms, one division

std::vector<double> plain_softmax(const std::vector<float>& scores,
                                  const std::vector<float>& mask) {
  std::vector<double> weights(scores.size());
  double maximum = kHidden, sum = 0.0;
  for (size_t i = 0; i < scores.size(); ++i) {
    maximum = std::max(maximum, weights[i] = static_cast<double>(scores[i]) + mask[i]);
  }
  if (maximum == kHidden) return std::vector<double>(scores.size(), 0.0);
  for (double& weight : weights) sum += weight = std::exp(weight - maximum);
  for (double& weight : weights) weight /= sum;
  return weights;
}

std::vector<float> masked(int64_t length, int64_t period) {
  std::vector<float> mask(static_cast<size_t>(length), 0.0f);
  for (size_t i = 0; i < mask.size(); i += static_cast<size_t>(period)) mask[i] = kHidden;
  return mask;
}

}  // namespace

TEST_CASE("softmax equals plain loops around the lane count, masked and with huge scores") {
  for (const int64_t length : {1, 2, 3, 4, 5, 7, 8, 9, 17, 70}) {
    for (const float size : {1.0f, 30.0f, 1e30f}) {
      for (const int64_t period : {1, 2, 5}) {
        CAPTURE(length);
        CAPTURE(size);
        CAPTURE(period);
        std::vector<float> scores = random_floats(length, 1);
        for (float& score : scores) score *= size;
        const std::vector<float> mask = masked(length, period);
        const std::vector<double> expected = plain_softmax(scores, mask);
        std::vector<float> weights(scores.size(), NAN);
        kernels::softmax(scores.data(), mask.data(), length, weights.data());
        for (size_t i = 0; i < weights.size(); ++i)
          check_close(weights[i], expected[i], kTolerance);
      }
    }
  }
}

TEST_CASE("a hidden position has weight 0, and a row with nothing visible is all zeros") {
  const std::vector<float> scores = random_floats(9, 1), none(9, kHidden);
  std::vector<float> weights(9, NAN);
  kernels::softmax(scores.data(), masked(9, 3).data(), 9, weights.data());
  for (size_t i = 0; i < 9; i += 3) CHECK(weights[i] == 0.0f);
  kernels::softmax(scores.data(), none.data(), 9, weights.data());
  for (const float weight : weights) CHECK(weight == 0.0f);
}

namespace {

/// In one pass, or with the scores known before.
kernels::Pooled pool(const float* hidden, const std::vector<float>& vector, const float* mask,
                     int64_t T, int64_t E, bool known, float* scores, float* out) {
  if (!known) return kernels::score_and_pool(hidden, vector.data(), 0.5f, mask, T, E, scores, out);
  kernels::dot_rows({hidden, E}, vector.data(), 0.5f, T, E, scores);
  return kernels::pool_scored(hidden, mask, T, E, scores, out);
}

/// All positions in one go, or the first half and the second.
void pool_in_parts(const std::vector<float>& hidden, const std::vector<float>& vector,
                   const std::vector<float>& mask, int64_t T, int64_t E, int parts, bool known,
                   std::vector<float>& weights, std::vector<float>& out) {
  const int64_t first = parts == 1 ? T : T / 2;
  kernels::Pooled all =
      pool(hidden.data(), vector, mask.data(), first, E, known, weights.data(), out.data());
  if (first < T) {
    std::vector<float> rest(out.size(), NAN);
    const kernels::Pooled other = pool(hidden.data() + first * E, vector, mask.data() + first,
                                       T - first, E, known, weights.data() + first, rest.data());
    all = kernels::add_pooled(all, out.data(), other, rest.data(), E);
  }
  kernels::finish_pooling(all, T, E, weights.data(), out.data());
}

}  // namespace

TEST_CASE("scoring and pooling in one pass equals doing one after the other") {
  for (const int64_t T : {1, 7, 8, 9, 16, 50}) {
    for (const int64_t E : {1, 4, 13, 32}) {
      for (const auto& [period, parts] : {std::pair{1, 1}, {2, 1}, {100, 1}, {1, 2}, {2, 2}}) {
        CAPTURE(T);
        CAPTURE(E);
        CAPTURE(period);
        CAPTURE(parts);
        const std::vector<float> hidden = random_floats(T * E, 1), vector = random_floats(E, 2);
        const std::vector<float> mask = masked(T, period);
        std::vector<float> scores(static_cast<size_t>(T), 0.5f), weights(scores.size(), NAN),
            out(static_cast<size_t>(E), NAN);
        for (int64_t t = 0; t < T; ++t) {
          for (int64_t e = 0; e < E; ++e)
            scores[static_cast<size_t>(t)] +=
                hidden[static_cast<size_t>(t * E + e)] * vector[static_cast<size_t>(e)];
        }
        const std::vector<double> expected = plain_softmax(scores, mask);
        for (const bool known : {false, true}) {
          CAPTURE(known);
          pool_in_parts(hidden, vector, mask, T, E, parts, known, weights, out);
          for (size_t t = 0; t < weights.size(); ++t) check_close(weights[t], expected[t], 4e-6);
          for (int64_t e = 0; e < E; ++e) {
            double pooled = 0.0;
            for (int64_t t = 0; t < T; ++t)
              pooled += expected[static_cast<size_t>(t)] * hidden[static_cast<size_t>(t * E + e)];
            check_close(out[static_cast<size_t>(e)], pooled, 4e-6);
          }
        }
      }
    }
  }
}

TEST_CASE("the gradient of a softmax equals plain loops around the lane count, in place too") {
  for (const int64_t length : {1, 2, 3, 4, 5, 15, 16, 17, 33, 70}) {
    CAPTURE(length);
    std::vector<float> y(static_cast<size_t>(length));
    kernels::softmax(random_floats(length, 1).data(), masked(length, 5).data(), length, y.data());
    const std::vector<float> dy = random_floats(length, 2);
    double sum = 0.0;
    for (size_t i = 0; i < y.size(); ++i) sum += static_cast<double>(y[i]) * dy[i];
    std::vector<float> dx(y.size(), NAN), over_y = y, over_dy = dy;
    kernels::softmax_gradient(y.data(), dy.data(), length, dx.data());
    kernels::softmax_gradient(over_y.data(), dy.data(), length, over_y.data());
    kernels::softmax_gradient(y.data(), over_dy.data(), length, over_dy.data());
    CHECK(over_y == dx);
    CHECK(over_dy == dx);
    for (size_t i = 0; i < y.size(); ++i) check_close(dx[i], y[i] * (dy[i] - sum), kTolerance);
  }
}

TEST_CASE("the gradient of a softmax sums to zero however large the mean of what it is given") {
  for (const int64_t length : {7, 256, 1000}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      CAPTURE(length);
      CAPTURE(seed);
      std::vector<float> y(static_cast<size_t>(length)), dx(y.size(), NAN);
      kernels::softmax(random_floats(length, seed).data(), nullptr, length, y.data());
      std::vector<float> dy = random_floats(length, seed + 100);
      for (float& gradient : dy) gradient += 100.0f;
      kernels::softmax_gradient(y.data(), dy.data(), length, dx.data());
      double sum = 0.0;
      for (const float gradient : dx) sum += static_cast<double>(gradient);
      CHECK(std::abs(sum) < 4e-7);  // the mean as one float leaves up to 1e-5
    }
  }
}

TEST_CASE("log_softmax keeps the logarithm beside logits of any size") {
  for (const int64_t length : {1, 3, 4, 5, 17, 1000}) {
    for (const float offset : {0.0f, 1e3f, -1e5f, 1e6f, 1e8f, 3e38f}) {
      CAPTURE(length);
      CAPTURE(offset);
      std::vector<float> x = random_floats(length, 1), y(x.size(), NAN);
      for (float& logit : x) logit += offset;  // rounded: what is left of the differences counts
      const double maximum = *std::max_element(x.begin(), x.end());
      double sum = 0.0;
      for (const double logit : x) sum += std::exp(logit - maximum);
      kernels::log_softmax(x.data(), length, y.data());
      for (size_t i = 0; i < x.size(); ++i) {
        check_close(y[i], (x[i] - maximum) - std::log(sum), kTolerance);
      }
    }
  }
}
