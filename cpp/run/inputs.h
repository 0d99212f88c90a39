#pragma once

// What a run is given, and what it gives.

#include <functional>
#include <utility>
#include <vector>

#include "values.h"

namespace attnscope {

/// Numbers outside of the core: copies `count` of them, from `first` on, to `to`. Only the thread
/// that runs the layer may ask for them.
using Source = std::function<void(size_t first, size_t count, float* to)>;

/// An input whose numbers come in part by part.
struct LateInput {
  Source source;
  float* values;

  explicit operator bool() const { return source != nullptr; }
  void load(int64_t first, int64_t count) const {
    source(static_cast<size_t>(first), static_cast<size_t>(count), values + first);
  }
};

/// Values of the inputs, indexed by TensorId; nullptr for an absent optional input and for
/// everything that is no input. An input may be late: then its values have their shape, and its
/// numbers are loaded when they are needed, or never, by a kernel that reads them from the source.
class Inputs {
 public:
  explicit Inputs(size_t tensors) : values_(tensors, nullptr) {}

  size_t size() const { return values_.size(); }
  const Values*& operator[](size_t id) { return values_[id]; }
  const Values* operator[](size_t id) const { return values_[id]; }

  void add_late(size_t id, Values& values, Source source) {
    values_[id] = &values;
    late_.push_back({id, &values, std::move(source)});
  }

  /// The source of an input whose numbers have not been loaded; nullptr for any other.
  const Source* source(size_t id) const {
    for (const Late& late : late_) {
      if (late.id == id && late.source) return &late.source;
    }
    return nullptr;
  }

  /// Hands over an input that has not been loaded: whoever takes it loads all of it. An empty one
  /// for any other.
  LateInput take_late(size_t id) const {
    for (Late& late : late_) {
      if (late.id == id) return {std::exchange(late.source, nullptr), late.values->data()};
    }
    return {};
  }

  void load(size_t id) const {
    for (Late& late : late_) {
      if (late.id == id && late.source) late.load();
    }
  }
  void load_all() const {
    for (Late& late : late_) {
      if (late.source) late.load();
    }
  }

 private:
  struct Late {
    size_t id;
    Values* values;
    Source source;  // empty when the numbers are loaded

    void load() {
      source(0, values->size(), values->data());
      source = nullptr;
    }
  };

  std::vector<const Values*> values_;
  mutable std::vector<Late> late_;
};

/// Values of outputs_of(), in that order.
using Outputs = std::vector<Values>;

}  // namespace attnscope
