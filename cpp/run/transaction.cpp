#include "transaction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

using Rule = StateUse::Rule;

/// The numbers of the filled tensors, which `inputs` then point at. Noise is drawn by `generator`.
std::vector<Values> fill(const Graph& graph, const Counters& counters, Generator& generator,
                         Inputs& inputs) {
  std::vector<Values> filled;
  filled.reserve(graph.filled().size());
  for (const auto& [tensor, filling] : graph.filled()) {
    Values& values = filled.emplace_back(make_values(graph.tensor(tensor).shape));
    if (const auto* noise = std::get_if<Noise>(&filling)) {
      generator.fill_dropout_noise(noise->share, values.data(),
                                   static_cast<int64_t>(values.size()));
    } else {
      std::get<Computed>(filling)->fill(counters, {values.data(), values.size()});
    }
    inputs[static_cast<size_t>(tensor)] = &values;
  }
  return filled;
}

/// What the graph reads of its states becomes its input. Returns the caches, parallel to the
/// graph's states.
std::vector<CachedRows*> give_states(const Plan& plan, States& states, Inputs& inputs) {
  std::vector<CachedRows*> caches;
  caches.reserve(plan.states.size());
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const StateUse& use = plan.graph.states()[i];
    State& state = states[plan.states[i].state];
    caches.push_back(state.rows());
    if (use.rule == Rule::kAppended || use.before == kNoTensor) continue;
    inputs[static_cast<size_t>(use.before)] = state.values();
  }
  return caches;
}

/// `number_at(place)`: the number of a result.
template <class NumberAt>
void check_finite(const Plan& plan, std::string_view unchecked, NumberAt number_at) {
  for (const auto& [name, what] : plan.graph.finite_results()) {
    if (name == unchecked) continue;
    const float number = number_at(plan.result(name));
    if (std::isfinite(number)) continue;
    refuse("loss",
           "the {} must stay finite, got {}; nothing was changed, and a lower learning rate, "
           "clip_norm or other data may help",
           {what, to_string(RawValue{static_cast<double>(number)})});
  }
}

/// Positions of a cache that later runs may see.
int64_t needed_positions(const StateUse& use) {
  return use.window ? *use.window - 1 : std::numeric_limits<int64_t>::max();
}

}  // namespace

Results transact(const Plan& plan, const BoundWeights& weights, Inputs inputs, Kept& kept,
                 const Progress& progress, std::string_view unchecked) {
  const Graph& graph = plan.graph;
  Generator generator = kept.generator;
  const std::vector<Values> filled = fill(graph, kept.counters, generator, inputs);
  const std::vector<CachedRows*> caches = give_states(plan, kept.states, inputs);
  Counters counters = kept.counters;
  for (const auto& [counter, by] : graph.advances()) counters[counter] += by;

  bool checked = false;
  const auto check_before = [&](const Workspace& workspace) {
    check_finite(plan, unchecked,
                 [&](size_t place) { return *workspace.read(plan.tensor(place)); });
    checked = true;
  };
  Results results{plan, execute(plan.schedule, weights, inputs, progress, caches, check_before)};
  if (!checked) {
    check_finite(plan, unchecked, [&](size_t place) { return *results.values[place].data(); });
  }
  // From here on nothing throws.
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const StateUse& use = graph.states()[i];
    const auto [number, result] = plan.states[i];
    State& state = kept.states[number];
    if (use.rule == Rule::kAppended) state.rows()->keep(needed_positions(use));
    if (use.rule == Rule::kReplaced) state.replace(std::move(results.values[result]));
  }
  kept.counters = std::move(counters);
  kept.generator = generator;
  return results;
}

}  // namespace attnscope
