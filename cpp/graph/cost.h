#pragma once

// What is counted of arithmetic, by kind. Every figure of operations, this one's or another tool's,
// is a table of weights over these counts.

#include <array>
#include <initializer_list>

#include "count.h"

namespace attnscope {

enum class Operation {
  kMac,         // multiply-accumulates of matrix products
  kVisibleMac,  // of these, those that a causal shape, a window or a band leaves
  kAddition,
  kMultiplication,
  kDivision,
  kRoot,
  kExponential,  // exp, tanh, erf, sine or cosine, and an activation that is made of one of them
  kComparison,
};
inline constexpr size_t kOperations = 8;

/// The name of each kind in an estimate, in the order of Operation.
inline constexpr std::array<const char*, kOperations> kOperationNames{
    "macs",      "visible_macs", "additions",    "multiplications",
    "divisions", "roots",        "exponentials", "comparisons"};

/// How often each kind counts.
using Convention = std::array<int64_t, kOperations>;

/// As torch.utils.flop_counter counts: 2 a MAC, and nothing else.
inline constexpr Convention kFlops{2, 0, 0, 0, 0, 0, 0, 0};

/// Everything but matrix products, one each; without roots, of which a norm takes one a row.
inline constexpr Convention kElementwise{0, 0, 1, 1, 1, 0, 1, 1};

/// How many operations of each kind.
class Cost {
 public:
  struct Term {
    Operation kind;
    Count count;
  };

  Cost() = default;
  Cost(std::initializer_list<Term> terms);

  /// Matrix products of `macs`, of which `visible` are left by a causal shape or a window.
  static Cost products(Count macs, Count visible);

  Count operator[](Operation kind) const { return counts_[static_cast<size_t>(kind)]; }
  const std::array<Count, kOperations>& counts() const { return counts_; }

  Count macs() const { return (*this)[Operation::kMac]; }
  Count elementwise() const { return by(kElementwise); }

  /// The sum of all counts, each weighted as the convention says.
  Count by(const Convention& weights) const;

  Cost& operator+=(const Cost& other);
  Cost times(int64_t times) const;

 private:
  Count& at(Operation kind) { return counts_[static_cast<size_t>(kind)]; }

  std::array<Count, kOperations> counts_{};
};

}  // namespace attnscope
