#include "arena.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

namespace attnscope {
namespace {

/// Places spans in this order, each in the smallest gap that it fits.
ArenaPlan place(std::span<const Span> spans, const std::vector<size_t>& order) {
  ArenaPlan plan{std::vector<Count>(spans.size(), 0), 0};
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    const Span& span = spans[i];
    Count end = 0;  // of what is placed so far, seen from the start
    std::optional<Count> best, best_gap;
    for (const size_t p : placed) {
      if (spans[p].freed < span.born || span.freed < spans[p].born) continue;
      const Count gap = plan.offsets[p] - end;
      if (gap >= span.size && (!best_gap || gap < *best_gap)) best = end, best_gap = gap;
      end = std::max(end, plan.offsets[p] + spans[p].size);
    }
    plan.offsets[i] = best.value_or(end);
    plan.size = std::max(plan.size, sum(plan.offsets[i], span.size));
    const auto after =
        std::upper_bound(placed.begin(), placed.end(), plan.offsets[i],
                         [&](Count offset, size_t p) { return offset < plan.offsets[p]; });
    placed.insert(after, i);
  }
  return plan;
}

}  // namespace

ArenaPlan plan_arena(std::span<const Span> spans) {
  std::vector<size_t> order(spans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  ArenaPlan in_given_order = place(spans, order);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return spans[a].size > spans[b].size; });
  ArenaPlan largest_first = place(spans, order);
  return largest_first.size < in_given_order.size ? largest_first : in_given_order;
}

}  // namespace attnscope
