#include "band.h"

#include <algorithm>

namespace attnscope {
namespace {

/// The sum of clamp(i + offset, 0, most) over i in [0, count).
Count clamped_series(int64_t count, int64_t offset, int64_t most) {
  const int64_t rising = std::clamp<int64_t>(-offset, 0, count);
  const int64_t full = std::clamp<int64_t>(most - offset, rising, count);
  const Count terms = full - rising;
  const Count ends = Count{rising} + full - 1 + 2 * Count{offset};  // the first and the last
  return sum(product({terms, terms > 0 ? ends : 0}) / 2, product({count - full, most}));
}

}  // namespace

Band::Range Band::visible(int64_t i, int64_t kv_len) const {
  const int64_t length = kv_len - tail, position = i + offset;
  int64_t first = 0, end = length;
  if (is_causal) end = std::min(end, position + 1);
  if (window) {
    first = std::max(first, position - *window + 1);
    end = std::min(end, position + *window);
  }
  return first < end ? Range{first, end} : Range{0, 0};
}

bool Band::shows(int64_t i, int64_t j, int64_t kv_len) const {
  if (!restricts() || j >= kv_len - tail) return true;
  const Range range = visible(i, kv_len);
  return range.first <= j && j < range.end;
}

Count Band::visible_pairs(int64_t seq_len, int64_t kv_len) const {
  const int64_t length = kv_len - tail;
  Count pairs = product({seq_len, tail});
  if (!restricts()) return sum(pairs, product({seq_len, length}));
  const int64_t after = is_causal ? 1 : *window;
  pairs = sum(pairs, clamped_series(seq_len, offset + after, length));
  if (window) pairs -= clamped_series(seq_len, offset - *window + 1, length);
  return pairs;
}

}  // namespace attnscope
