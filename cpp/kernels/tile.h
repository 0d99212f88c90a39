#pragma once

// What a matrix product is made of: kHeight x 8 results, which stay in registers while their terms
// are added.

#include <cstdint>
#include <type_traits>

#include "blocks.h"
#include "gemm.h"
#include "vector.h"

namespace attnscope::kernels {

static_assert(kPanel == 2 * kLanes);

/// A term of each column of a panel.
struct PanelTerm {
  Batch left, right;
};

struct FloatPanel {
  using Number = float;
  static constexpr bool kSettles = true;  // each sum, term by term
  static PanelTerm load(const float* at) { return {kernels::load(at), kernels::load(at + kLanes)}; }
};

/// Terms that a tile adds one by one, at most: rounding grows with them.
inline constexpr int64_t kTileTerms = 128;

/// A tile of c from kHeight rows of a and a panel of B, whose numbers Panel loads. The sum of its
/// terms is added to `start`: the bias, whose stride is 0, or what is in c already. A sum waits for
/// the one before: with several chains terms go to each of them in turn. An iteration takes kTerms
/// terms: where another thread shares the core, instructions decide (measured there: four are a
/// tenth faster than one), which tiles that are seldom need not be. Inlined, because structs are
/// passed in memory, which takes a tenth of the time of 64 terms.
template <int64_t kHeight, int64_t kChains = 1, class Panel = FloatPanel, int64_t kTerms = kChains>
[[gnu::always_inline]] inline void tile(ConstRows a, const typename Panel::Number* b, int64_t depth,
                                        ConstRows start, Rows c) {
  Batch sum[kChains][kHeight][2];
  const float* rows[kHeight];
  for (int64_t r = 0; r < kHeight; ++r) {
    rows[r] = a.data + r * a.stride;
    for (int64_t chain = 0; chain < kChains; ++chain) {
      sum[chain][r][0] = sum[chain][r][1] = Batch(0.0f);
    }
  }
  const auto add_terms = [&](auto count) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (int64_t p = 0; p < count; ++p) {
      const auto [left, right] = Panel::load(b + p * kPanel);
      auto& sums = sum[p % kChains];
      for (int64_t r = 0; r < kHeight; ++r) {
        const Batch value = spread(rows[r] + p);
        sums[r][0] = madd(value, left, sums[r][0]);
        sums[r][1] = madd(value, right, sums[r][1]);
      }
      if constexpr (Panel::kSettles) {
        for (auto& row : sums) settle(row[0]), settle(row[1]);
      }
    }
    b += count * kPanel;
    for (const float*& row : rows) row += count;
  };
  // Pointers that move instead of an index, for the same reason.
  const auto *const end = b + depth * kPanel, *const last = end - depth % kTerms * kPanel;
  while (b != last) add_terms(std::integral_constant<int64_t, kTerms>());
  while (b != end) add_terms(std::integral_constant<int64_t, 1>());
  for (int64_t r = 0; r < kHeight; ++r) {
    for (int64_t half = 0; half < 2; ++half) {
      const Batch before = load(start.data + r * start.stride + half * kLanes);
      store(c.data + r * c.stride + half * kLanes, before + total_of(sum, r, half));
    }
  }
}

}  // namespace attnscope::kernels
