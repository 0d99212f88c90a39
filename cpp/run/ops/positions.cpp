#include "../../ops/positions.h"

#include "../kernels.h"
#include "../threads.h"

namespace attnscope {

Kernel rotate_kernel(const Site& site) {
  const bool interleaved = site.op<Rotate>().interleaved();
  const Shape& shape = site.output_shape();
  const int64_t D = shape.back(), T = shape[shape.size() - 2], rows = count_of(shape) / D;
  return [=, x = site.input(0), table = site.input(1), y = site.step.output](Workspace& workspace) {
    constexpr int64_t kGrain = 64;
    const int64_t half = D / 2, step = interleaved ? 2 : 1, other = interleaved ? 1 : half;
    const float* all = workspace.read(x);
    const float* cosines = workspace.read(table);
    const float* sines = cosines + T * D;
    float* out = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* from = all + row * D;
        const float* cosine = cosines + row % T * D;
        const float* sine = sines + row % T * D;
        float* to = out + row * D;
        for (int64_t k = 0; k < half; ++k) {
          const float a = from[k * step], b = from[k * step + other];
          to[k] = a * cosine[k] - b * sine[k];
          to[k + half] = b * cosine[k] + a * sine[k];
        }
      }
    });
  };
}

}  // namespace attnscope
