#include "../../../cpp/kernels/norm.h"

#include "../support.h"

using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr int64_t kLengths[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 70, 1000};
constexpr double kTolerance = 2e-6;  // sums in 16 runs of at most 63 terms, a root, two products

struct Row {
  std::vector<float> x, weight, bias;
  double mean = 0, mean_square = 0, variance = 0;

  Row(int64_t length, float scale, float shift)
      : x(random_floats(length, 1)),
        weight(random_floats(length, 2)),
        bias(random_floats(length, 3)) {
    const double count = static_cast<double>(length);
    for (float& one : x) one = one * scale + shift;
    for (const float one : x) mean += one / count;
    for (const double one : x) {
      mean_square += one * one / count;
      variance += (one - mean) * (one - mean) / count;
    }
  }
};

}  // namespace

TEST_CASE("layer_norm equals double precision around the lane count, with and without bias") {
  for (const int64_t length : kLengths) {
    for (const float eps : {1e-5f, 0.5f}) {
      for (const float offset : {0.0f, 1.0f}) {
        for (const bool with_bias : {true, false}) {
          CAPTURE(length);
          CAPTURE(eps);
          CAPTURE(offset);
          CAPTURE(with_bias);
          const Row row(length, 1, 0);
          std::vector<float> y(row.x.size(), NAN);
          kernels::layer_norm(row.x.data(), row.weight.data(),
                              with_bias ? row.bias.data() : nullptr, offset, eps, length, y.data());
          for (size_t i = 0; i < y.size(); ++i) {
            const double weight = offset + static_cast<double>(row.weight[i]);
            const double value = (row.x[i] - row.mean) / std::sqrt(row.variance + eps) * weight;
            check_close(y[i], value + (with_bias ? row.bias[i] : 0), kTolerance);
          }
        }
      }
    }
  }
}

TEST_CASE("a large mean does not cancel the variance") {
  // Half an ULP of a mean of 1000, 2^-15, over a deviation of 0.58.
  constexpr double kRoundedMean = 6e-5;
  for (const int64_t length : {16, 33, 1000}) {
    CAPTURE(length);
    const Row row(length, 1, 1000);
    std::vector<float> y(row.x.size(), NAN);
    kernels::layer_norm(row.x.data(), row.weight.data(), nullptr, 0, 1e-5f, length, y.data());
    for (size_t i = 0; i < y.size(); ++i) {
      const double value = (row.x[i] - row.mean) / std::sqrt(row.variance + 1e-5) * row.weight[i];
      check_close(y[i], value, kRoundedMean);
    }
  }
}

TEST_CASE("rms_norm equals double precision around the lane count, for small and large rows") {
  for (const int64_t length : kLengths) {
    for (const float scale : {1e-3f, 1.0f, 1e6f}) {
      for (const float offset : {0.0f, 1.0f}) {
        CAPTURE(length);
        CAPTURE(scale);
        CAPTURE(offset);
        const Row row(length, scale, 0);
        std::vector<float> y(row.x.size(), NAN);
        kernels::rms_norm(row.x.data(), row.weight.data(), offset, 1e-6f, length, y.data());
        for (size_t i = 0; i < y.size(); ++i) {
          const double weight = offset + static_cast<double>(row.weight[i]);
          check_close(y[i], row.x[i] / std::sqrt(row.mean_square + 1e-6) * weight, kTolerance);
        }
      }
    }
  }
}

TEST_CASE("norms may write over what they read") {
  const Row row(33, 1, 0);
  std::vector<float> layer(33), rms(33), layer_in_place = row.x, rms_in_place = row.x;
  kernels::layer_norm(row.x.data(), row.weight.data(), row.bias.data(), 0, 1e-5f, 33, layer.data());
  kernels::layer_norm(layer_in_place.data(), row.weight.data(), row.bias.data(), 0, 1e-5f, 33,
                      layer_in_place.data());
  kernels::rms_norm(row.x.data(), row.weight.data(), 0, 1e-5f, 33, rms.data());
  kernels::rms_norm(rms_in_place.data(), row.weight.data(), 0, 1e-5f, 33, rms_in_place.data());
  CHECK(layer_in_place == layer);
  CHECK(rms_in_place == rms);
}

TEST_CASE("gradients of norms equal double precision around the lane count") {
  constexpr double kGradientTolerance = 4e-6;  // differences of numbers up to twice as large
  for (const int64_t length : kLengths) {
    for (const bool centred : {true, false}) {
      if (centred && length == 1) continue;  // x̂ is 0, and its scale a thousand
      CAPTURE(length);
      CAPTURE(centred);
      const kernels::NormKind norm{centred, 1e-5f, centred ? 0.0f : 1.0f};
      const Row row(length, 1, centred ? 0.5f : 0.0f);
      const std::vector<float> dy = random_floats(length, 4);
      const double count = static_cast<double>(length), mean = centred ? row.mean : 0.0;
      const double scale = 1.0 / std::sqrt((centred ? row.variance : row.mean_square) + 1e-5);
      double sum = 0.0, along = 0.0;
      for (size_t i = 0; i < dy.size(); ++i) {
        const double g = dy[i] * (norm.offset + static_cast<double>(row.weight[i]));
        sum += centred ? g : 0.0;
        along += g * (row.x[i] - mean) * scale;
      }
      std::vector<float> dx(dy.size(), NAN), in_place = dy;
      kernels::norm_gradient(dy.data(), row.x.data(), row.weight.data(), norm, length, dx.data());
      kernels::norm_gradient(in_place.data(), row.x.data(), row.weight.data(), norm, length,
                             in_place.data());
      CHECK(in_place == dx);
      const auto statistics = kernels::norm_statistics(row.x.data(), norm, length);
      std::vector<double> sums(dy.size(), 1.0);
      kernels::sum_norm_weight_gradient({dy.data(), length}, {row.x.data(), length}, &statistics, 1,
                                        length, sums.data());
      for (size_t i = 0; i < dy.size(); ++i) {
        const double g = dy[i] * (norm.offset + static_cast<double>(row.weight[i]));
        const double normal = (row.x[i] - mean) * scale;
        check_close(dx[i] / scale, g - sum / count - normal * along / count, kGradientTolerance);
        check_close(sums[i], 1.0 + dy[i] * normal, kTolerance);
      }
    }
  }
}

TEST_CASE("norms of rows whose squares float32 cannot hold equal double precision") {
  for (const int64_t length : {2, 5, 16, 70}) {
    for (const float size : {1e-30f, 1e15f, 1e20f, 3e38f}) {
      for (const bool centred : {true, false}) {
        CAPTURE(length);
        CAPTURE(size);
        CAPTURE(centred);
        const float eps = size < 1 ? 0.0f : 1e-5f;
        const Row row(length, size, 0);
        const double mean = centred ? row.mean : 0.0;
        const double root = std::sqrt((centred ? row.variance : row.mean_square) + eps);
        std::vector<float> y(row.x.size(), NAN);
        if (centred) {
          kernels::layer_norm(row.x.data(), row.weight.data(), row.bias.data(), 0, eps, length,
                              y.data());
        } else {
          kernels::rms_norm(row.x.data(), row.weight.data(), 0, eps, length, y.data());
        }
        for (size_t i = 0; i < y.size(); ++i) {
          const double bias = centred ? row.bias[i] : 0.0f;
          check_close(y[i], (row.x[i] - mean) / root * row.weight[i] + bias, kTolerance);
        }

        const kernels::NormKind norm{centred, eps, 0.0f};
        const std::vector<float> dy = random_floats(length, 4);
        double sum = 0.0, along = 0.0;
        for (size_t i = 0; i < dy.size(); ++i) {
          const double g = static_cast<double>(dy[i]) * row.weight[i];
          sum += centred ? g : 0.0;
          along += g * (row.x[i] - mean) / root;
        }
        std::vector<float> dx(dy.size(), NAN);
        kernels::norm_gradient(dy.data(), row.x.data(), row.weight.data(), norm, length, dx.data());
        const double count = static_cast<double>(length);
        for (size_t i = 0; i < dy.size(); ++i) {
          const double g = static_cast<double>(dy[i]) * row.weight[i];
          const double normal = (row.x[i] - mean) / root;
          // The gradient itself may be below what float32 holds.
          if (size > 1e30f) continue;
          check_close(dx[i] * root, g - sum / count - normal * along / count, 4e-6);
        }
      }
    }
  }
}

TEST_CASE("a row that holds NaN or infinity gives what double precision gives") {
  for (const float odd : {NAN, INFINITY, -INFINITY}) {
    Row row(9, 1, 0);
    row.x[4] = odd;
    std::vector<float> y(9), weight(9, 1.0f), bias(9, 0.0f);
    kernels::layer_norm(row.x.data(), weight.data(), bias.data(), 0, 1e-5f, 9, y.data());
    for (const float value : y) CHECK(std::isnan(value));
    kernels::rms_norm(row.x.data(), weight.data(), 0, 1e-5f, 9, y.data());
    for (size_t i = 0; i < 9; ++i) {
      CHECK((std::isnan(odd) || i == 4 ? std::isnan(y[i]) : y[i] == 0.0f));
    }
  }
}
