#pragma once

// What a run reads and changes beside its inputs and parameters. A graph only says what happens to
// it; run/state.h holds the numbers.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensor.h"

namespace attnscope {

/// A tensor that can live between runs: what it was, and what it becomes. In a function that keeps
/// no state `before` is an input like any other, and `after` is dropped.
struct StateUse {
  enum class Rule {
    kGiven,     // only read: somebody else puts it there
    kReplaced,  // becomes what `after` is
    kInPlace,   // steps write where `before` is; zeros before the first run
    kAppended,  // a cache: the last `new_positions` of `after` come behind what is there
  } rule;
  std::string name;             // the same name is the same state in every function of a layer
  TensorId before = kNoTensor;  // of a cache, kNoTensor while nothing has been seen
  TensorId after = kNoTensor;   // of a cache all positions, (B, ..., S, D)
  int64_t new_positions = 0;
  std::optional<int64_t> window{};  // of a cache, the most positions of which any run has need
};

/// Counts of what has happened since the layer was made, by names that outlive them: "updates",
/// "past_len". A layer has two at most, and looking through them is a fifth of std::map's code.
class Counters {
 public:
  using Entry = std::pair<std::string_view, int64_t>;

  Counters() = default;
  Counters(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// 0 where nothing has been counted by this name.
  int64_t of(std::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.first == name) return entry.second;
    }
    return 0;
  }

  int64_t& operator[](std::string_view name) {
    for (Entry& entry : entries_) {
      if (entry.first == name) return entry.second;
    }
    return entries_.emplace_back(name, 0).second;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
};

/// The noise of a dropout.
struct Noise {
  double share;  // of it that is 0
};

/// Numbers that follow from the counters.
class Computation {
 public:
  virtual ~Computation() = default;
  virtual void fill(const Counters& counters, std::span<float> numbers) const = 0;
};
using Computed = std::shared_ptr<const Computation>;

/// A tensor that is filled before each run and lives no longer than it.
struct Filled {
  TensorId tensor;
  std::variant<Noise, Computed> filling;
};

/// A result of one number that has to be finite before anything changes.
struct FiniteResult {
  std::string name;
  std::string what;  // for messages: "norm of the gradients"
};

}  // namespace attnscope
