#include "plan.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace attnscope {
namespace {

/// Parallel to outputs_of(), without caches.
std::vector<const std::string*> names_of(const Graph& graph, const Keep& keep, const PlanKey& key) {
  std::vector<const std::string*> names;
  names.reserve(graph.results().size() + keep.tensors.size());
  for (const Result& result : graph.results()) {
    if (keep.weights || !result.options.weights) names.push_back(&result.name);
  }
  for (size_t i = 0; i < keep.tensors.size(); ++i) names.push_back(&key.tensors[i]);
  return names;
}

}  // namespace

Plan::Plan(const Config& of, const PlanKey& by, FunctionGraph made, RunFor what)
    : config(of),
      key(by),
      graph(std::move(made.graph)),
      keep(std::move(made.keep)),
      schedule(graph, keep, what),
      names(names_of(graph, keep, key)) {}

void Plan::bind(States& of) {
  const std::vector<size_t> numbers = of.bind(graph);
  const std::span<const TensorId> made = schedule.results();
  states.clear();
  states.reserve(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    BoundState& bound = states.emplace_back(BoundState{numbers[i]});
    const StateUse& use = graph.states()[i];
    if (use.rule != StateUse::Rule::kReplaced) continue;
    bound.result =
        static_cast<size_t>(std::find(made.begin(), made.end(), use.after) - made.begin());
  }
}

size_t Plan::result(std::string_view name) const {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(results());
  const auto found =
      std::find_if(names.begin(), end, [&](const std::string* one) { return *one == name; });
  if (found == end) throw std::logic_error(format("a run has no result {}", {name}));
  return static_cast<size_t>(found - names.begin());
}

}  // namespace attnscope
