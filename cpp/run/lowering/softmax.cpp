#include "../../ops/softmax.h"

#include <algorithm>
#include <limits>

#include "../../kernels/rows.h"
#include "../../kernels/softmax.h"
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

/// What a mask and a band add to a row of scores, of which the last `tail` have no position.
void mask_and_band(const float* mask, Band::Range range, int64_t tail, int64_t length,
                   float* added) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  for (int64_t j = 0; j < length; ++j) {
    const bool visible = j >= length - tail || (range.first <= j && j < range.end);
    added[j] = !visible ? kHidden : mask && j < length - tail ? mask[j] : 0.0f;
  }
}

/// Each row of scores, hidden as a mask and `band` say: as it is then, or its softmax.
Fusion masked_rows(const Site& site, Band band, MaskOf of, bool normalized) {
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
        float* to = weights + row * length;
        const float* added =
            mask ? mask + mask_row(of, workspace.given_shape(mask_id), masked, row) : nullptr;
        const Band::Range range = band.visible(row % queries, length);
        if (normalized && band.tail == 0) {
          softmax_in_band(from, added, range, length, to);
          continue;
        }
        float* all = normalized ? workspace.at(added_slot) : to;
        mask_and_band(added, range, band.tail, length, all);
        if (normalized) {
          kernels::softmax(from, all, length, to);
          // A row with NaN is NaN, but for the keys outside the band.
          std::fill_n(to, range.first, 0.0f);
          if (band.restricts()) std::fill(to + range.end, to + length - band.tail, 0.0f);
        } else {
          kernels::add(from, all, length, to);
        }
      }
    });
  };
  return fusion;
}

Fusion softmax(const Site& site) {
  const Softmax& op = site.op<Softmax>();
  return masked_rows(site, op.band(), op.mask_of(), true);
}

Fusion masked_scores(const Site& site) {
  const MaskedScores& op = site.op<MaskedScores>();
  return masked_rows(site, op.band(), op.mask_of(), false);
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
const Lowered<MaskedScores> kMaskedScores(masked_scores);
const Lowered<SoftmaxGradient> kSoftmaxGradient(softmax_gradient);

}  // namespace
}  // namespace attnscope
