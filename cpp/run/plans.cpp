#include "plans.h"

#include <algorithm>
#include <utility>

#include "threads.h"

namespace attnscope {
namespace {

constexpr size_t kMost = 8;

/// The plan of this key and config, as the last one; nullptr where there is none.
PlanPtr find(std::vector<PlanPtr>& plans, const PlanKey& key, const Config& config) {
  const auto known = std::find_if(plans.begin(), plans.end(), [&](const PlanPtr& one) {
    return one->key == key && one->schedule.how().threads == thread_count() &&
           one->config.values() == config.values();
  });
  if (known == plans.end()) return nullptr;
  std::rotate(known, known + 1, plans.end());
  return plans.back();
}

/// Whether a run needs the graph that has masks; `graph` is that without. True as well where both
/// are the same.
bool need_masks(const Graph& graph, const std::vector<GivenShape>& given, const PlanKey& asked) {
  if (!graph.is_without_masks()) return true;
  if (given.empty()) return asked.masks;
  return std::ranges::any_of(given, [&](const GivenShape& one) {
    return graph.tensor(one.first).role == Role::kOptionalInput;
  });
}

}  // namespace

PlanPtr Plans::find_or_make(const PlanKey& asked, const Config& own, const Graph& graph,
                            const std::vector<GivenShape>& given, Dtype storage, Build build,
                            Admit admit) {
  PlanKey key = asked;
  key.masks = need_masks(graph, given, asked);
  std::vector<PlanPtr>& plans = of(key.function);
  const auto add = [&](const Config& config, FunctionGraph made) {
    auto plan = std::make_shared<Plan>(config, key, std::move(made), RunFor{storage});
    admit(*plan);
    if (plans.size() == kMost) plans.erase(plans.begin());
    return plans.emplace_back(std::move(plan));
  };
  const Config changed = with_lengths_of(own, graph, given);
  if (changed.values() != own.values()) {
    if (changed.layer().check) changed.layer().check(changed);
    if (PlanPtr known = find(plans, key, changed)) {
      if (fits_instead(known->graph, graph, given)) return known;
    } else {
      FunctionGraph made = build(changed, key);
      if (fits_instead(made.graph, graph, given)) return add(changed, std::move(made));
    }
  }
  if (PlanPtr known = find(plans, key, own)) return known;
  return add(own, build(own, key));
}

}  // namespace attnscope
