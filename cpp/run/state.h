#pragma once

// What lives between runs: the numbers of the states that graphs name (graph/state_use.h).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../graph/graph.h"
#include "storage.h"
#include "values.h"

namespace attnscope {

/// A tensor, or the positions of a cache.
class State {
 public:
  /// As it is before the first run: numbers that are given or changed in place are zeros, those
  /// that are replaced are not there, and a cache has no positions. A cache rests in `storage`.
  State(const StateUse& use, const Graph& graph, Dtype storage);

  const std::string& name() const { return name_; }
  StateUse::Rule rule() const { return rule_; }
  const Shape& shape() const { return shape_; }

  /// Throws FieldError where a run of the graph cannot go on with what is there: its tensor has
  /// another shape, or its cache other rows.
  void check(const StateUse& use, const Graph& graph) const;

  /// The numbers of a tensor; nullptr of a cache, and where none are there.
  const Values* values() const { return std::get_if<Values>(&kept_); }
  void replace(Values values) { kept_ = std::move(values); }

  /// The positions of a cache; nullptr of a tensor.
  CachedRows* rows() { return std::get_if<CachedRows>(&kept_); }

  /// Makes it what it was before the first run.
  void clear();

  Count bytes() const;

 private:
  std::string name_;
  StateUse::Rule rule_;
  Shape shape_;  // of a cache without its positions
  Dtype storage_;
  std::variant<std::monostate, Values, CachedRows> kept_;
};

/// By number, and found by name when a plan is made.
class States {
 public:
  explicit States(Dtype storage) : storage_(storage) {}

  /// The number of each state of the graph, in its order; makes those that are not there yet.
  /// Throws what State::check() throws.
  std::vector<size_t> bind(const Graph& graph);

  State& operator[](size_t number) { return states_[number]; }
  auto begin() const { return states_.begin(); }
  auto end() const { return states_.end(); }
  auto begin() { return states_.begin(); }
  auto end() { return states_.end(); }

  void clear();
  Count bytes() const;

 private:
  /// Where a name is found; looks from `first` on, since graphs name their states in one order.
  std::optional<size_t> find(std::string_view name, size_t first) const;

  Dtype storage_;
  std::vector<State> states_;
};

}  // namespace attnscope
