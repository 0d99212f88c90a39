// Sums run over four lanes and four accumulators. Rows whose squares leave float32's range are
// computed in double.

#include "norm.h"

#include <cmath>

#include "columns.h"
#include "runs.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

/// Σ (x - centre), or Σ (x - centre)².
template <bool kSquared>
double sum_of(const float* x, float centre, int64_t length) {
  double totals[1] = {0.0};
  int64_t i = sum_runs(length, totals, [&](int64_t at, auto& sums, int v) {
    const Batch value = load(x + at) - Batch(centre);
    sums[0][v] = kSquared ? madd(value, value, sums[0][v]) : sums[0][v] + value;
  });
  float rest = 0.0f;
  for (; i < length; ++i) {
    const float value = x[i] - centre;
    rest += kSquared ? value * value : value;
  }
  return totals[0] + static_cast<double>(rest);
}

/// Whether the squares of a row with this scale stay in float32's range. Not with NaN.
bool fits_float(float scale) { return scale > 1e-18f && scale < 1e15f; }

/// A row's mean and scale in double; x̂ of its numbers.
class WideRow {
 public:
  WideRow(const float* x, const NormKind& norm, int64_t length) : x_(x) {
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; norm.centred && i < length; ++i) sum += static_cast<double>(x[i]);
    const auto count = static_cast<double>(length);
    mean_ = sum / count;
    for (int64_t i = 0; i < length; ++i) squares += centred(i) * centred(i);
    scale_ = 1.0 / std::sqrt(squares / count + static_cast<double>(norm.eps));
  }

  double scale() const { return scale_; }
  double normal(int64_t i) const { return centred(i) * scale_; }
  NormStatistics statistics() const {
    return {static_cast<float>(mean_), static_cast<float>(scale_)};
  }

 private:
  double centred(int64_t i) const { return static_cast<double>(x_[i]) - mean_; }

  const float* x_;
  double mean_, scale_;
};

/// y = x̂ (offset + weight) + bias in double.
void wide_norm(const float* x, const float* weight, const float* bias, const NormKind& norm,
               int64_t length, float* y) {
  const WideRow row(x, norm, length);
  for (int64_t i = 0; i < length; ++i) {
    const double product = row.normal(i) * static_cast<double>(norm.offset + weight[i]);
    y[i] = static_cast<float>(product + static_cast<double>(bias ? bias[i] : 0.0f));
  }
}

/// norm_gradient() in double.
void wide_norm_gradient(const float* dy, const float* x, const float* weight, const NormKind& norm,
                        int64_t length, float* dx) {
  const WideRow row(x, norm, length);
  const auto g = [&](int64_t i) {
    return static_cast<double>(dy[i]) * static_cast<double>(norm.offset + weight[i]);
  };
  double sum = 0.0, along = 0.0;
  for (int64_t i = 0; i < length; ++i) {
    if (norm.centred) sum += g(i);
    along += g(i) * row.normal(i);
  }
  const auto count = static_cast<double>(length);
  for (int64_t i = 0; i < length; ++i) {
    const double rest = g(i) - sum / count - row.normal(i) * along / count;
    dx[i] = static_cast<float>(row.scale() * rest);
  }
}

NormStatistics float_statistics(const float* x, const NormKind& norm, int64_t length) {
  const auto count = static_cast<double>(length);
  float mean = 0.0f;
  if (norm.centred) {
    const auto guess = static_cast<float>(sum_of<false>(x, 0.0f, length) / count);
    // Rounding has left something of the mean.
    mean = guess + static_cast<float>(sum_of<false>(x, guess, length) / count);
  }
  const auto variance = static_cast<float>(sum_of<true>(x, mean, length) / count);
  return {mean, 1.0f / std::sqrt(variance + norm.eps)};
}

}  // namespace

NormStatistics norm_statistics(const float* x, const NormKind& norm, int64_t length) {
  const NormStatistics statistics = float_statistics(x, norm, length);
  return fits_float(statistics.scale) ? statistics : WideRow(x, norm, length).statistics();
}

void layer_norm(const float* x, const float* weight, const float* bias, float offset, float eps,
                int64_t length, float* y) {
  const NormKind norm{true, eps, offset};
  const auto [mean, scale] = float_statistics(x, norm, length);
  if (!fits_float(scale)) return wide_norm(x, weight, bias, norm, length, y);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    const Batch factor = Batch(offset) + load(weight + i);
    const Batch value = (load(x + i) - Batch(mean)) * Batch(scale) * factor;
    store(y + i, bias ? value + load(bias + i) : value);
  }
  for (; i < length; ++i) {
    const float value = (x[i] - mean) * scale * (offset + weight[i]);
    y[i] = bias ? value + bias[i] : value;
  }
}

void rms_norm(const float* x, const float* weight, float offset, float eps, int64_t length,
              float* y) {
  const NormKind norm{false, eps, offset};
  const float scale = float_statistics(x, norm, length).scale;
  if (!fits_float(scale)) return wide_norm(x, weight, nullptr, norm, length, y);
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    store(y + i, load(x + i) * Batch(scale) * (Batch(offset) + load(weight + i)));
  }
  for (; i < length; ++i) y[i] = x[i] * scale * (offset + weight[i]);
}

void norm_gradient(const float* dy, const float* x, const float* weight, const NormKind& norm,
                   int64_t length, float* dx) {
  const auto [mean, scale] = float_statistics(x, norm, length);
  if (!fits_float(scale)) return wide_norm_gradient(dy, x, weight, norm, length, dx);
  const auto normal_at = [&](int64_t i) { return (load(x + i) - Batch(mean)) * Batch(scale); };
  const auto g_at = [&](int64_t i) {
    return load(dy + i) * (Batch(norm.offset) + load(weight + i));
  };
  double totals[2] = {0.0, 0.0};  // of g, and of g x̂
  int64_t i = sum_runs(length, totals, [&](int64_t at, auto& sums, int v) {
    const Batch g = g_at(at);
    sums[0][v] += g;
    sums[1][v] = madd(g, normal_at(at), sums[1][v]);
  });
  auto sum = static_cast<float>(totals[0]), product = static_cast<float>(totals[1]);
  for (; i < length; ++i) {
    const float g = dy[i] * (norm.offset + weight[i]);
    sum += g;
    product += g * ((x[i] - mean) * scale);
  }
  const float count = static_cast<float>(length);
  const float mean_g = norm.centred ? sum / count : 0.0f, mean_product = product / count;
  for (i = 0; i + kLanes <= length; i += kLanes) {
    const Batch rest = g_at(i) - Batch(mean_g) - normal_at(i) * Batch(mean_product);
    store(dx + i, rest * Batch(scale));
  }
  for (; i < length; ++i) {
    const float g = dy[i] * (norm.offset + weight[i]);
    dx[i] = (g - mean_g - (x[i] - mean) * scale * mean_product) * scale;
  }
}

void sum_norm_weight_gradient(ConstRows dy, ConstRows x, const NormStatistics* statistics,
                              int64_t count, int64_t length, double* sums) {
  sum_columns(
      count, length, sums,
      [&](int64_t i, int64_t e) {
        const Batch centred = load(x.data + i * x.stride + e) - spread(&statistics[i].mean);
        return load(dy.data + i * dy.stride + e) * (centred * spread(&statistics[i].scale));
      },
      [&](int64_t i, int64_t e) {
        const float centred = x.data[i * x.stride + e] - statistics[i].mean;
        return dy.data[i * dy.stride + e] * (centred * statistics[i].scale);
      });
}

}  // namespace attnscope::kernels
