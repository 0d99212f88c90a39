#include "../../kernels/norm.h"

#include "../../ops/norm.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// Norms each row by itself: norm(from, weight, bias or nullptr, length, to).
template <class Norm>
Fusion row_norm(const Site& site, Norm norm) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId x = site.input(0), w = site.input(1), b = site.optional_input(2),
                 y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kGrain = 16;  // rows
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

const Lowered<LayerNorm> kLayerNorm(layer_norm);
const Lowered<RmsNorm> kRmsNorm(rms_norm);

}  // namespace
}  // namespace attnscope
