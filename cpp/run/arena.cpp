#include "arena.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace attnscope {
namespace {

/// Places spans in this order, each in the smallest gap that it fits.
ArenaPlan place(std::span<const Occupancy> spans, const std::vector<size_t>& order) {
  ArenaPlan plan{std::vector<Count>(spans.size(), 0), 0};
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    const Occupancy& span = spans[i];
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

/// For each span, the most that is alive at once while it is.
std::vector<Count> breadths_of(std::span<const Occupancy> spans) {
  int steps = 0;
  for (const Occupancy& span : spans) steps = std::max(steps, span.freed + 1);
  std::vector<Count> alive(static_cast<size_t>(steps), 0);
  for (const Occupancy& span : spans) {
    for (int s = span.born; s <= span.freed; ++s)
      alive[static_cast<size_t>(s)] = sum(alive[static_cast<size_t>(s)], span.size);
  }
  std::vector<Count> breadths;
  for (const Occupancy& span : spans) {
    breadths.push_back(
        *std::max_element(alive.begin() + span.born, alive.begin() + span.freed + 1));
  }
  return breadths;
}

}  // namespace

ArenaPlan plan_arena(std::span<const Occupancy> spans) {
  std::vector<size_t> order(spans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  ArenaPlan best = place(spans, order);
  const std::vector<Count> breadths = breadths_of(spans);
  const Count least = spans.empty() ? 0 : *std::max_element(breadths.begin(), breadths.end());
  const auto try_largest_first = [&](const std::vector<Count>& keys) {
    if (best.size == least) return;
    // By heap, which is a third of stable_sort's code; of equals the earlier one comes first.
    const auto before = [&](size_t a, size_t b) {
      return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
    };
    std::make_heap(order.begin(), order.end(), before);
    std::sort_heap(order.begin(), order.end(), before);
    ArenaPlan plan = place(spans, order);
    if (plan.size < best.size) best = std::move(plan);
  };
  std::vector<Count> sizes;
  for (const Occupancy& span : spans) sizes.push_back(span.size);
  try_largest_first(sizes);
  try_largest_first(breadths);
  return best;
}

}  // namespace attnscope
