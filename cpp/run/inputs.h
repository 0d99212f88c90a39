#pragma once

// What a run is given, and what it gives.

#include <utility>
#include <vector>

#include "function_ref.h"
#include "values.h"

namespace attnscope {

/// Numbers outside of the core: copies `count` of them, from `first` on, to `to`. Only the thread
/// that runs the layer may ask for them.
using Source = FunctionRef<void(size_t first, size_t count, float* to)>;

/// A late input: there is memory for its values, but its numbers are still outside of the core.
struct LateInput {
  Source source;
  Values* values = nullptr;

  explicit operator bool() const { return values != nullptr; }
  void load(int64_t first, int64_t count) const {
    source(static_cast<size_t>(first), static_cast<size_t>(count), values->data() + first);
  }
};

/// Values of the inputs, indexed by TensorId; nullptr for an absent optional input and for
/// everything that is no input. Of a late input the values have their shape from the start; its
/// numbers are loaded when a kernel needs them, or never, if the kernel reads them from the source.
class Inputs {
 public:
  explicit Inputs(size_t tensors) : values_(tensors, nullptr) {}

  size_t size() const { return values_.size(); }
  const Values*& operator[](size_t id) { return values_[id]; }
  const Values* operator[](size_t id) const { return values_[id]; }

  void add_late(size_t id, Values& values, Source source) {
    values_[id] = &values;
    late_.emplace_back(id, LateInput{source, &values});
  }

  /// The source of an input whose numbers have not been loaded; none for any other.
  Source source(size_t id) const {
    const LateInput* late = waiting(id);
    return late ? late->source : Source();
  }

  /// Hands over an input that has not been loaded: the caller must then load all of it. Returns an
  /// empty one for any other input.
  LateInput take_late(size_t id) const {
    LateInput* late = waiting(id);
    return late ? std::exchange(*late, {}) : LateInput{};
  }

  void load(size_t id) const {
    if (const LateInput late = take_late(id)) {
      late.load(0, static_cast<int64_t>(late.values->size()));
    }
  }
  void load_all() const {
    for (const auto& [id, late] : late_) load(id);
  }

 private:
  LateInput* waiting(size_t id) const {
    for (auto& [own, late] : late_) {
      if (own == id && late) return &late;
    }
    return nullptr;
  }

  std::vector<const Values*> values_;
  mutable std::vector<std::pair<size_t, LateInput>> late_;  // an empty one has been loaded
};

/// Values of outputs_of(), in that order.
using Outputs = std::vector<Values>;

}  // namespace attnscope
