#include "../../kernels/norm.h"

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
  return row_norm(site, [eps = static_cast<float>(site.op<LayerNorm>().eps())](
                            const float* x, const float* weight, const float* bias, int64_t length,
                            float* y) { kernels::layer_norm(x, weight, bias, eps, length, y); });
}

Fusion rms_norm(const Site& site) {
  const float offset = static_cast<float>(site.op<RmsNorm>().offset());
  const float eps = static_cast<float>(site.op<RmsNorm>().eps());
  return row_norm(site, [=](const float* x, const float* weight, const float*, int64_t length,
                            float* y) { kernels::rms_norm(x, weight, offset, eps, length, y); });
}

Fusion norm_gradient(const Site& site) {
  const Normalizer norm = site.op<NormGradient>().norm();
  const auto eps = static_cast<float>(norm.eps), offset = static_cast<float>(norm.offset);
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId dy = site.input(0), x = site.input(1), w = site.input(2), dx = site.output();
  Fusion fusion = site.alone({dy, x});
  fusion.kernel = [=](Workspace& workspace) {
    const float *gradient = workspace.read(dy), *from = workspace.read(x);
    const float* weight = workspace.read(w);
    float* to = workspace.write(dx);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t start = begin * length; start < end * length; start += length) {
        const kernels::RowNorm own = kernels::row_norm(from + start, norm.centred, eps, length);
        kernels::norm_gradient(gradient + start, from + start, weight, offset, norm.centred, own,
                               length, to + start);
      }
    });
  };
  return fusion;
}

/// Columns by columns over all rows, so that sums do not depend on the number of threads.
Fusion norm_weight_gradient(const Site& site) {
  constexpr int64_t kColumns = 16;
  const Normalizer norm = site.op<NormWeightGradient>().norm();
  const auto eps = static_cast<float>(norm.eps);
  const Shape& shape = site.input_shape(1);
  const int64_t length = shape.back(), rows = count_of(shape) / length;
  const TensorId dy = site.input(0), x = site.input(1), dw = site.output();
  Fusion fusion = site.alone({dy, x});
  const auto slot = fusion.scratch.shared<kernels::RowNorm>(rows);
  fusion.kernel = [=](Workspace& workspace) {
    const float *gradient = workspace.read(dy), *from = workspace.read(x);
    kernels::RowNorm* norms = workspace.at(slot);
    float* to = workspace.write(dw);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        norms[row] = kernels::row_norm(from + row * length, norm.centred, eps, length);
      }
    });
    parallel_for(length, kColumns, [&](int64_t begin, int64_t end) {
      kernels::norm_weight_gradient(gradient + begin, from + begin, length, norms, rows,
                                    end - begin, to + begin);
    });
  };
  return fusion;
}

const Lowered<NormGradient> kNormGradient(norm_gradient);
const Lowered<NormWeightGradient> kNormWeightGradient(norm_weight_gradient);
const Lowered<LayerNorm> kLayerNorm(layer_norm);
const Lowered<RmsNorm> kRmsNorm(rms_norm);

}  // namespace
}  // namespace attnscope
