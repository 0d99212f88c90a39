#pragma once

// What attention and its gradient share: how products become scores, what queries see, and the
// pieces of a call's scratch.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "attention.h"

namespace attnscope::kernels {

inline constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// What a query sees of the keys [first, first + count): those from `begin` to `end`, counted from
/// `first`.
struct Seen {
  int64_t begin, end;
};
inline Seen seen_of(KeyRange visible, int64_t first, int64_t count) {
  const int64_t begin = std::clamp<int64_t>(visible.first - first, 0, count);
  return {begin, std::clamp<int64_t>(visible.end - first, begin, count)};
}

/// Zeros in a row of `count`, but for what is seen.
inline void clear_unseen(float* row, Seen seen, int64_t count) {
  std::fill(row, row + seen.begin, 0.0f);
  std::fill(row + seen.end, row + count, 0.0f);
}

/// Query's row of what is added to scores, from `key` on; nullptr where there is none.
inline const float* added_row(ConstRows rows, int64_t query, int64_t key) {
  return rows.data ? rows.data + query * rows.stride + key : nullptr;
}

/// Makes scores of products, in place; hidden ones are -inf. Returns a factor by which they are yet
/// to be multiplied. `bias` and `mask` (count,) or nullptr.
float finish_scores(float* products, int64_t count, const ScoreSteps& steps, const float* bias,
                    const float* mask);

/// What the queries [begin, end) see together, from the edge of a panel on: where panels and blocks
/// of keys begin depends on no query, so that results do not depend on who else is in the call.
KeyRange seen_by(const KeyRange* visible, int64_t begin, int64_t end);

/// Zeros in the rows [begin, end).
void clear(Rows rows, int64_t begin, int64_t end, int64_t columns);

/// Hands out a call's scratch, piece by piece.
class Pieces {
 public:
  explicit Pieces(float* scratch) : next_(scratch) {}

  float* take(int64_t floats) { return std::exchange(next_, next_ + floats); }

 private:
  float* next_;
};

}  // namespace attnscope::kernels
