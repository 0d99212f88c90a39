#include "../../kernels/norm.h"

#include <algorithm>

#include "../../ops/norm.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 16;  // rows

/// Norms each row by itself: norm(from, weight, bias or nullptr, length, to).
template <class Norm>
Fusion row_norm(const Site& site, Norm norm) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId x = site.input(0), w = site.input(1), b = site.optional_input(2),
                 y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* from = workspace.read(x);
    const float* weight = workspace.read(w);
    const float* bias = b == kNoTensor ? nullptr : workspace.read(b);
    float* to = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        norm(from + row * length, weight, bias, length, to + row * length);
      }
    });
  };
  return fusion;
}

Fusion layer_norm(const Site& site) {
  const float offset = static_cast<float>(site.op<LayerNorm>().offset());
  const float eps = static_cast<float>(site.op<LayerNorm>().eps());
  return row_norm(
      site, [=](const float* x, const float* weight, const float* bias, int64_t length, float* y) {
        kernels::layer_norm(x, weight, bias, offset, eps, length, y);
      });
}

Fusion rms_norm(const Site& site) {
  const float offset = static_cast<float>(site.op<RmsNorm>().offset());
  const float eps = static_cast<float>(site.op<RmsNorm>().eps());
  return row_norm(site, [=](const float* x, const float* weight, const float*, int64_t length,
                            float* y) { kernels::rms_norm(x, weight, offset, eps, length, y); });
}

kernels::NormKind kind_of(const Normalizer& norm) {
  return {norm.centred, static_cast<float>(norm.eps), static_cast<float>(norm.offset)};
}

Fusion norm_gradient(const Site& site) {
  const kernels::NormKind norm = kind_of(site.op<NormGradient>().norm());
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId dy = site.input(0), x = site.input(1), w = site.input(2), dx = site.output();
  Fusion fusion = site.alone({dy, x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* upper = workspace.read(dy);
    const float* from = workspace.read(x);
    const float* weight = workspace.read(w);
    float* to = workspace.write(dx);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin * length; at < end * length; at += length) {
        kernels::norm_gradient(upper + at, from + at, weight, norm, length, to + at);
      }
    });
  };
  return fusion;
}

/// First what each row's mean and scale are, then the sums of columns.
Fusion norm_weight_gradient(const Site& site) {
  const kernels::NormKind norm = kind_of(site.op<NormWeightGradient>().norm());
  const int64_t length = site.output_shape().back(), rows = count_of(site.input_shape(1)) / length;
  const TensorId dy = site.input(0), x = site.input(1), y = site.output();
  Fusion fusion = site.alone({dy, x});
  const auto slot = fusion.scratch.shared<kernels::NormStatistics>(rows);
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kColumns = 32, kMostColumns = 256;  // of a task, and at once
    constexpr double kFirst = 0.4;                        // of the time
    const float* upper = workspace.read(dy);
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    kernels::NormStatistics* statistics = workspace.at(slot);
    {
      const WatchedPart part(0, kFirst);
      parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          statistics[row] = kernels::norm_statistics(from + row * length, norm, length);
        }
      });
    }
    const WatchedPart part(kFirst, 1);
    parallel_for(parts_of(length, kColumns), 1, [&](int64_t begin, int64_t end) {
      const int64_t last = std::min(end * kColumns, length);
      for (int64_t column = begin * kColumns; column < last; column += kMostColumns) {
        const int64_t count = std::min(kMostColumns, last - column);
        double sums[kMostColumns];
        std::fill_n(sums, count, 0.0);
        kernels::sum_norm_weight_gradient({upper + column, length}, {from + column, length},
                                          statistics, rows, count, sums);
        std::copy_n(sums, count, to + column);
      }
    });
  };
  return fusion;
}

const Lowered<LayerNorm> kLayerNorm(layer_norm);
const Lowered<RmsNorm> kRmsNorm(rms_norm);
const Lowered<NormGradient> kNormGradient(norm_gradient);
const Lowered<NormWeightGradient> kNormWeightGradient(norm_weight_gradient);

}  // namespace
}  // namespace attnscope
