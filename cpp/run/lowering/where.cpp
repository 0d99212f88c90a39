// Rows that a mask hides.

#include "../../ops/where.h"

#include <algorithm>
#include <limits>

#include "../../ops/broadcast.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// y = x where a row is visible, and `other`, or zeros where that is none, where it is hidden; or
/// the other way round.
Fusion choose_rows(const Site& site, TensorId other, TensorId mask, bool hide_visible) {
  const TensorId x = site.input(0), y = site.output();
  const int64_t length = site.output_shape().back();
  Fusion fusion = site.alone({x});
  if (other != kNoTensor) fusion.reads.push_back(other);
  fusion.kernel = [=, rows = rows_of(site.output_shape())](Workspace& workspace) {
    constexpr float kHidden = -std::numeric_limits<float>::infinity();
    constexpr int64_t kGrain = 4096;  // numbers
    const float *from = workspace.read(x),
                *instead = other == kNoTensor ? nullptr : workspace.read(other),
                *hidden = mask == kNoTensor ? nullptr : workspace.read(mask);
    float* to = workspace.write(y);
    parallel_for(count_of(rows), parts_of(kGrain, length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const bool hides =
            hidden && hidden[broadcast_row(workspace.given_shape(mask), rows, row)] == kHidden;
        if (hides == hide_visible) {
          std::copy_n(from + row * length, length, to + row * length);
        } else if (instead) {
          std::copy_n(instead + row * length, length, to + row * length);
        } else {
          std::fill_n(to + row * length, length, 0.0f);
        }
      }
    });
  };
  return fusion;
}

Fusion where_visible(const Site& site) {
  return choose_rows(site, site.input(1), site.optional_input(2), false);
}

Fusion zero_rows(const Site& site) {
  const bool visible = site.op<ZeroRows>().zeros() == ZeroRows::Rows::kVisible;
  return choose_rows(site, kNoTensor, site.optional_input(1), visible);
}

const Lowered<WhereVisible> kWhereVisible(where_visible);
const Lowered<ZeroRows> kZeroRows(zero_rows);

}  // namespace
}  // namespace attnscope
