#include "../../ops/positions.h"

#include "../../kernels/rotary.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {

Kernel rotate_kernel(const Site& site) {
  const bool interleaved = site.op<Rotate>().interleaved();
  const Shape& shape = site.output_shape();
  const int64_t D = shape.back(), T = shape[shape.size() - 2], rows = count_of(shape) / D;
  return [=, x = site.input(0), table = site.input(1), y = site.step.output](Workspace& workspace) {
    constexpr int64_t kGrain = 64;
    const float* all = workspace.read(x);
    const float* cosines = workspace.read(table);
    const float* sines = cosines + T * D;
    float* out = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* cosine = cosines + row % T * D;
        const float* sine = sines + row % T * D;
        kernels::rotate(all + row * D, cosine, sine, D / 2, interleaved, out + row * D);
      }
    });
  };
}

}  // namespace attnscope
