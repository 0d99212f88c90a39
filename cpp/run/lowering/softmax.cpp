#include "../../ops/softmax.h"

#include <algorithm>
#include <limits>

#include "../../kernels/softmax.h"
#include "../../ops/broadcast.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// One row within a band: what lies outside of it is 0 and is not computed.
void softmax_in_band(const float* scores, const float* mask, Band::Range range, int64_t length,
                     float* weights) {
  std::fill_n(weights, range.first, 0.0f);
  std::fill(weights + range.end, weights + length, 0.0f);
  if (range.end == 0) return;
  kernels::softmax(scores + range.first, mask ? mask + range.first : nullptr,
                   range.end - range.first, weights + range.first);
}

/// The same where keys without a position follow: the band becomes part of the mask, for which
/// `added` has room.
void softmax_with_tail(const float* scores, const float* mask, Band::Range range, int64_t tail,
                       int64_t length, float* added, float* weights) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < length; ++j) {
    const bool visible = j >= length - tail || (range.first <= j && j < range.end);
    added[j] = !visible ? kHidden : mask && j < length - tail ? mask[j] : 0.0f;
  }
  kernels::softmax(scores, added, length, weights);
}

Fusion softmax(const Site& site) {
  const Band band = site.op<Softmax>().band();
  const Shape& shape = site.output_shape();
  const int64_t length = shape.back(), rows = count_of(shape) / length;
  const int64_t queries = shape.size() > 1 ? shape[shape.size() - 2].size : 1;
  Shape masked = shape;
  masked.back().size -= band.tail;
  const TensorId x = site.input(0), mask_id = site.optional_input(1), y = site.output();
  Fusion fusion = site.alone({x});
  const auto added_slot = fusion.scratch.each_thread<float>(band.tail > 0 ? length : 0);
  fusion.kernel = [=](Workspace& workspace) {
    const float* scores = workspace.read(x);
    const float* mask = mask_id == kNoTensor ? nullptr : workspace.read(mask_id);
    float* weights = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* from = scores + row * length;
        const float* added =
            mask ? mask + broadcast_row(workspace.given_shape(mask_id), masked, row) : nullptr;
        const Band::Range range = band.visible(row % queries, length);
        if (band.tail > 0) {
          softmax_with_tail(from, added, range, band.tail, length, workspace.at(added_slot),
                            weights + row * length);
        } else {
          softmax_in_band(from, added, range, length, weights + row * length);
        }
      }
    });
  };
  return fusion;
}

Fusion softmax_gradient(const Site& site) {
  const int64_t length = site.output_shape().back(), rows = count_of(site.output_shape()) / length;
  const TensorId y = site.input(0), dy = site.input(1), dx = site.output();
  Fusion fusion = site.alone({y, dy});
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kGrain = 4096;  // numbers
    const float* weights = workspace.read(y);
    const float* upper = workspace.read(dy);
    float* to = workspace.write(dx);
    parallel_for(rows, parts_of(kGrain, length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::softmax_gradient(weights + row * length, upper + row * length, length,
                                  to + row * length);
      }
    });
  };
  return fusion;
}

const Lowered<Softmax> kSoftmax(softmax);
const Lowered<SoftmaxGradient> kSoftmaxGradient(softmax_gradient);

}  // namespace
}  // namespace attnscope
