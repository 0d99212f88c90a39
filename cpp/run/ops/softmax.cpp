#include "../../kernels/softmax.h"

#include <algorithm>

#include "../../ops/broadcast.h"
#include "../../ops/softmax.h"
#include "../kernels.h"
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

/// The same where keys without a position follow: the band becomes part of the mask.
void softmax_with_tail(const float* scores, const float* mask, Band::Range range, int64_t tail,
                       int64_t length, float* weights) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  std::vector<float> added(static_cast<size_t>(length), 0.0f);
  for (int64_t j = 0; j < length - tail; ++j) {
    const bool visible = range.first <= j && j < range.end;
    added[static_cast<size_t>(j)] = !visible ? kHidden : mask ? mask[j] : 0.0f;
  }
  kernels::softmax(scores, added.data(), length, weights);
}

}  // namespace

Kernel softmax_kernel(const Site& site) {
  const Band band = site.op<Softmax>().band();
  const Shape shape = site.output_shape();
  const int64_t length = shape.back(), rows = count_of(shape) / length;
  const int64_t queries = shape.size() > 1 ? shape[shape.size() - 2].size : 1;
  Shape masked = shape;
  masked.back().size -= band.tail;
  const TensorId mask_id = site.has_input(1) ? site.input(1) : kNoTensor;
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    const float* scores = workspace.read(x);
    const float* mask = mask_id == kNoTensor ? nullptr : workspace.read(mask_id);
    const Shape mask_shape = mask ? workspace.given_shape(mask_id) : Shape{};
    float* weights = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* from = scores + row * length;
        const float* added = mask ? mask + broadcast_row(mask_shape, masked, row) : nullptr;
        const Band::Range range = band.visible(row % queries, length);
        if (band.tail > 0) {
          softmax_with_tail(from, added, range, band.tail, length, weights + row * length);
        } else {
          softmax_in_band(from, added, range, length, weights + row * length);
        }
      }
    });
  };
}

}  // namespace attnscope
