#include "../../kernels/norm.h"

#include "../../ops/norm.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 16;  // rows

}  // namespace

Kernel layer_norm_kernel(const Site& site) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  return [=, x = site.input(0), y = site.step.output, weight = site.parameter(1),
          bias = site.has_input(2) ? site.parameter(2) : nullptr,
          eps = static_cast<float>(site.op<LayerNorm>().eps())](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::layer_norm(from + row * length, weight, bias, eps, length, to + row * length);
      }
    });
  };
}

Kernel rms_norm_kernel(const Site& site) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  return [=, x = site.input(0), y = site.step.output, weight = site.parameter(1),
          offset = static_cast<float>(site.op<RmsNorm>().offset()),
          eps = static_cast<float>(site.op<RmsNorm>().eps())](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::rms_norm(from + row * length, weight, offset, eps, length, to + row * length);
      }
    });
  };
}

}  // namespace attnscope
