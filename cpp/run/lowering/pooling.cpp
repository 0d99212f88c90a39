// Sequences that become one row each.

#include "../../ops/pooling.h"

#include <algorithm>
#include <limits>

#include "../../kernels/pooling.h"
#include "../../kernels/rows.h"
#include "../../kernels/softmax.h"
#include "../../kernels/sums.h"
#include "../../ops/flatten.h"
#include "../../ops/last_position.h"
#include "../../ops/weighted_sum.h"
#include "../lowering.h"
#include "../threads.h"
#include "visible.h"

namespace attnscope {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

Fusion weighted_sum(const Site& site) {
  const Shape& shape = site.input_shape(1);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId w = site.input(0), x = site.input(1), y = site.output();
  Fusion fusion = site.alone({w, x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* weights = workspace.read(w);
    const float* values = workspace.read(x);
    float* out = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        kernels::weighted_sum({values + b * T * E, E}, weights + b * T, T, E, out + b * E);
      }
    });
  };
  return fusion;
}

bool hides(const float* mask, int64_t t) { return mask && mask[t] == kHidden; }

/// work(x (T, E), its mask (T,) or nullptr, T, E, scratch (T,), y (E,)) for each sequence.
template <class Work>
Fusion each_sequence(const Site& site, Work work) {
  const Shape& shape = site.input_shape(0);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId x = site.input(0), mask = site.optional_input(1), y = site.output();
  Fusion fusion = site.alone({x});
  const auto row = fusion.scratch.each_thread<float>(T);
  fusion.kernel = [=, sequences = Shape{B, T}](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        work(from + b * T * E, sequence_mask(workspace, mask, sequences, b), T, E,
             workspace.at(row), to + b * E);
      }
    });
  };
  return fusion;
}

/// The share of each position in the mean.
void shares_of(const float* mask, int64_t T, float* weights) {
  std::fill_n(weights, T, 0.0f);
  kernels::softmax(weights, mask, T, weights);
}

void mean_of(const float* x, const float* mask, int64_t T, int64_t E, float* weights, float* y) {
  shares_of(mask, T, weights);
  kernels::weighted_sum({x, E}, weights, T, E, y);
  if (!mask) return;
  const auto shows = [&](int64_t t) { return !hides(mask, t); };
  leave_out_hidden({x, E}, weights, T, E, shows, y);
}

void max_of(const float* x, const float* mask, int64_t T, int64_t E, float*, float* y) {
  bool any = false;
  for (int64_t t = 0; t < T; ++t) {
    if (hides(mask, t)) continue;
    if (any) {
      kernels::maximum(x + t * E, y, E, y);
    } else {
      std::copy_n(x + t * E, E, y);
    }
    any = true;
  }
  if (!any) std::fill_n(y, E, 0.0f);
}

/// The last position that the mask leaves; -1 where it leaves none.
int64_t last_of(const float* mask, int64_t T) {
  int64_t t = T - 1;
  while (t >= 0 && hides(mask, t)) --t;
  return t;
}

void copy_last(const float* x, const float* mask, int64_t T, int64_t E, float*, float* y) {
  const int64_t t = last_of(mask, T);
  if (t >= 0) {
    std::copy_n(x + t * E, E, y);
  } else {
    std::fill_n(y, E, 0.0f);
  }
}

Fusion mean_pool(const Site& site) { return each_sequence(site, mean_of); }

Fusion max_pool(const Site& site) { return each_sequence(site, max_of); }

Fusion last_position(const Site& site) { return each_sequence(site, copy_last); }

/// work(number of the sequence, its mask (T,) or nullptr, what it is made of, what is made of it)
/// for each sequence; `sequences` is (B, T, ...).
template <class Work>
Fusion each_masked(const Site& site, const Shape& sequences, Work work) {
  const TensorId x = site.input(0), mask = site.optional_input(1), y = site.output();
  const Shape masks{sequences[0], sequences[1]};
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(masks[0], 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        work(b, sequence_mask(workspace, mask, masks, b), from, to);
      }
    });
  };
  return fusion;
}

Fusion last_position_gradient(const Site& site) {
  const Shape& shape = site.output_shape();
  const int64_t T = shape[1], E = shape[2];
  return each_masked(site, shape, [=](int64_t b, const float* mask, const float* dy, float* dx) {
    std::fill_n(dx + b * T * E, T * E, 0.0f);
    const int64_t t = last_of(mask, T);
    if (t >= 0) std::copy_n(dy + b * E, E, dx + (b * T + t) * E);
  });
}

/// Sequences (B, T, E) side by side or apart: the same numbers, but zeros where the mask hides a
/// position.
Fusion visible_copy(const Site& site, const Shape& sequences) {
  const int64_t T = sequences[1], E = sequences[2];
  return each_masked(site, sequences, [=](int64_t b, const float* mask, const float* x, float* y) {
    for (int64_t row = b * T; row < (b + 1) * T; ++row) {
      if (hides(mask, row - b * T)) {
        std::fill_n(y + row * E, E, 0.0f);
      } else {
        std::copy_n(x + row * E, E, y + row * E);
      }
    }
  });
}

Fusion flatten(const Site& site) { return visible_copy(site, site.input_shape(0)); }

Fusion flatten_gradient(const Site& site) { return visible_copy(site, site.output_shape()); }

Fusion mean_pool_gradient(const Site& site) {
  const Shape& shape = site.output_shape();
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId dy = site.input(0), mask = site.optional_input(1), dx = site.output();
  Fusion fusion = site.alone({dy});
  const auto row = fusion.scratch.each_thread<float>(T);
  fusion.kernel = [=, sequences = Shape{B, T}](Workspace& workspace) {
    const float* upper = workspace.read(dy);
    float* to = workspace.write(dx);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      float* shares = workspace.at(row);
      for (int64_t b = begin; b < end; ++b) {
        shares_of(sequence_mask(workspace, mask, sequences, b), T, shares);
        for (int64_t t = 0; t < T; ++t) {
          kernels::scale(upper + b * E, shares[t], E, to + (b * T + t) * E);
        }
      }
    });
  };
  return fusion;
}

Fusion max_pool_gradient(const Site& site) {
  const Shape& shape = site.output_shape();
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId dy = site.input(0), x = site.input(1), y = site.input(2),
                 mask_id = site.optional_input(3), dx = site.output();
  Fusion fusion = site.alone({dy, x, y});
  const auto row = fusion.scratch.each_thread<float>(E);
  fusion.kernel = [=, sequences = Shape{B, T}](Workspace& workspace) {
    const float* upper = workspace.read(dy);
    const float* all = workspace.read(x);
    const float* pooled = workspace.read(y);
    float* to = workspace.write(dx);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      float* counts = workspace.at(row);
      for (int64_t b = begin; b < end; ++b) {
        const float* mask = sequence_mask(workspace, mask_id, sequences, b);
        const float* largest = pooled + b * E;
        std::fill_n(counts, E, 0.0f);
        for (int64_t t = 0; t < T; ++t) {
          if (hides(mask, t)) continue;
          kernels::count_equal(all + (b * T + t) * E, largest, E, counts);
        }
        for (int64_t t = 0; t < T; ++t) {
          const int64_t at = (b * T + t) * E;
          if (hides(mask, t)) {
            std::fill_n(to + at, E, 0.0f);
          } else {
            kernels::share_equal(all + at, largest, upper + b * E, counts, E, to + at);
          }
        }
      }
    });
  };
  return fusion;
}

const Lowered<WeightedSum> kWeightedSum(weighted_sum);
const Lowered<MeanPool> kMeanPool(mean_pool);
const Lowered<MaxPool> kMaxPool(max_pool);
const Lowered<LastPosition> kLastPosition(last_position);
const Lowered<LastPositionGradient> kLastPositionGradient(last_position_gradient);
const Lowered<Flatten> kFlatten(flatten);
const Lowered<FlattenGradient> kFlattenGradient(flatten_gradient);
const Lowered<MeanPoolGradient> kMeanPoolGradient(mean_pool_gradient);
const Lowered<MaxPoolGradient> kMaxPoolGradient(max_pool_gradient);

}  // namespace
}  // namespace attnscope
