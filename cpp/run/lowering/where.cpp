// Rows that a mask hides.

#include "../../ops/where.h"

#include <algorithm>
#include <limits>

#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// Rows of x, and in place of those that the mask hides, or, with `hide_visible`, of those that it
/// shows, rows of `other`, or zeros where that is none. Written over x, where nothing else reads
/// it.
Fusion choose_rows(const Site& site, TensorId other, TensorId mask, RowMask rows_in,
                   bool hide_visible) {
  const TensorId x = site.input(0), y = site.output();
  const int64_t length = site.output_shape().back();
  Fusion fusion = site.alone({x});
  if (other != kNoTensor) fusion.reads.push_back(other);
  fusion.kernel = [=, rows = rows_in.rows(site.output_shape())](Workspace& workspace) {
    constexpr float kHidden = -std::numeric_limits<float>::infinity();
    constexpr int64_t kGrain = 4096;  // numbers
    const float *from = workspace.read(x),
                *instead = other == kNoTensor ? nullptr : workspace.read(other),
                *hidden = workspace.read(mask);
    float* to = workspace.write(y);
    parallel_for(count_of(rows), parts_of(kGrain, length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* own = to + row * length;
        const bool hides =
            hidden && hidden[rows_in.index(workspace.given_shape(mask), rows, row)] == kHidden;
        if (hides == hide_visible) {
          if (from != to) std::copy_n(from + row * length, length, own);
        } else if (instead) {
          std::copy_n(instead + row * length, length, own);
        } else {
          std::fill_n(own, length, 0.0f);
        }
      }
    });
  };
  return fusion;
}

Fusion where_visible(const Site& site) {
  return choose_rows(site, site.input(1), site.input(2), site.op<WhereVisible>().mask(), false);
}

Fusion zero_rows(const Site& site) {
  const auto& op = site.op<ZeroRows>();
  return choose_rows(site, kNoTensor, site.input(1), op.mask(),
                     op.zeros() == ZeroRows::Rows::kVisible);
}

const Lowered<WhereVisible> kWhereVisible(where_visible);
const Lowered<ZeroRows> kZeroRows(zero_rows);

}  // namespace
}  // namespace attnscope
