#include "state.h"

#include <utility>

#include "../layers/field.h"

namespace attnscope {
namespace {

bool is_cache(const StateUse& use) { return use.rule == StateUse::Rule::kAppended; }

/// Of a cache (B, ..., S, D), without S.
Shape kept_shape(const StateUse& use, const Graph& graph) {
  Shape shape = graph.tensor(use.after == kNoTensor ? use.before : use.after).shape;
  if (is_cache(use)) shape.erase(shape.end() - 2);
  return shape;
}

}  // namespace

State::State(const StateUse& use, const Graph& graph, Dtype storage)
    : name_(use.name), rule_(use.rule), shape_(kept_shape(use, graph)), storage_(storage) {
  clear();
}

void State::clear() {
  if (rule_ == StateUse::Rule::kReplaced) {
    kept_ = std::monostate();
  } else if (rule_ == StateUse::Rule::kAppended) {
    const int64_t features = shape_.back();
    kept_ = CachedRows(static_cast<int64_t>(elements(shape_)) / features, features, storage_);
  } else {
    Values zeros = make_values(shape_);
    zeros.fill(0.0f);
    kept_ = std::move(zeros);
  }
}

void State::check(const StateUse& use, const Graph& graph) const {
  if (use.rule != rule_) wrong_graph("{} follows two rules", {name_});
  const Shape shape = kept_shape(use, graph);
  if (shape == shape_) return;
  refuse("", "{} of the runs before has the shape {}, and this run needs {}",
         {name_, to_string(shape_), to_string(shape)});
}

Count State::bytes() const {
  if (const auto* rows = std::get_if<CachedRows>(&kept_)) return rows->bytes();
  return values() ? Count{values()->size()} * sizeof(float) : 0;
}

std::vector<size_t> States::bind(const Graph& graph) {
  std::vector<size_t> numbers;
  numbers.reserve(graph.states().size());
  for (const StateUse& use : graph.states()) {
    const size_t first = numbers.empty() ? 0 : numbers.back() + 1;
    if (const std::optional<size_t> known = find(use.name, first)) {
      states_[*known].check(use, graph);
      numbers.push_back(*known);
    } else {
      numbers.push_back(states_.size());
      states_.emplace_back(use, graph, storage_);
    }
  }
  return numbers;
}

std::optional<size_t> States::find(std::string_view name, size_t first) const {
  for (size_t i = 0; i < states_.size(); ++i) {
    const size_t number = (first + i) % states_.size();
    if (states_[number].name() == name) return number;
  }
  return {};
}

void States::clear() {
  for (State& state : states_) state.clear();
}

Count States::bytes() const {
  Count bytes = 0;
  for (const State& state : states_) bytes += state.bytes();
  return bytes;
}

}  // namespace attnscope
