#include <algorithm>
#include <limits>
#include <vector>

#include "../../kernels/rows.h"
#include "../../kernels/softmax.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {

Kernel weighted_sum_kernel(const Site& site) {
  const Shape& shape = site.input_shape(1);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  return [=, w = site.input(0), x = site.input(1), y = site.step.output](Workspace& workspace) {
    const float* weights = workspace.read(w);
    const float* values = workspace.read(x);
    float* out = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        std::fill_n(out + b * E, E, 0.0f);
        kernels::add_weighted_rows({values + b * T * E, E}, weights + b * T, T, E, out + b * E);
      }
    });
  };
}

namespace {

/// A kernel that gets each sequence by itself: x (T, E), its mask (T,) or nullptr, y (E,).
template <class Work>
Kernel sequence_kernel(const Site& site, Work work) {
  const Shape& shape = site.input_shape(0);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId mask_id = site.has_input(1) ? site.input(1) : kNoTensor;
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        work(from + b * T * E, sequence_mask(workspace, mask_id, {B, T}, b), T, E, to + b * E);
      }
    });
  };
}

void mean_of(const float* x, const float* mask, int64_t T, int64_t E, float* y) {
  std::vector<float> weights(static_cast<size_t>(T), 0.0f);
  kernels::softmax(weights.data(), mask, T, weights.data());
  std::fill_n(y, E, 0.0f);
  kernels::add_weighted_rows({x, E}, weights.data(), T, E, y);
}

void max_of(const float* x, const float* mask, int64_t T, int64_t E, float* y) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  bool any = false;
  for (int64_t t = 0; t < T; ++t) {
    if (mask && mask[t] == kHidden) continue;
    if (any) {
      kernels::maximum(x + t * E, y, E, y);
    } else {
      std::copy_n(x + t * E, E, y);
    }
    any = true;
  }
  if (!any) std::fill_n(y, E, 0.0f);
}

}  // namespace

Kernel mean_pool_kernel(const Site& site) { return sequence_kernel(site, mean_of); }

Kernel max_pool_kernel(const Site& site) { return sequence_kernel(site, max_of); }

}  // namespace attnscope
