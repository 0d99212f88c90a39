#pragma once

// Plans for inputs of several shapes: what a run does is found out once for each.

#include <array>
#include <vector>

#include "function_ref.h"
#include "lengths.h"
#include "plan.h"

namespace attnscope {

/// Of each function the last eight that were used.
class Plans {
 public:
  /// The graph of a function for a config, and for a key whose `masks` is decided.
  using Build = FunctionRef<FunctionGraph(const Config& config, const PlanKey& key)>;
  /// Throws where a plan may not be run, and binds it to the states that it keeps.
  using Admit = FunctionRef<void(Plan& plan)>;

  /// The plan that `asked` says, for inputs of these shapes: of the lengths that they have, where
  /// `graph`, that of `own` without masks, has no parameter of such a size, and of the config's own
  /// lengths otherwise. Throws FieldError where the layer's own rules forbid the lengths, and what
  /// `build` and `admit` throw; then none is kept.
  PlanPtr find_or_make(const PlanKey& asked, const Config& own, const Graph& graph,
                       const std::vector<GivenShape>& given, Dtype storage, Build build,
                       Admit admit);

  /// Those of a function are never found again: their configs say what is no longer so.
  void forget(Function function) { of(function).clear(); }

 private:
  std::vector<PlanPtr>& of(Function function) { return plans_[static_cast<size_t>(function)]; }

  std::array<std::vector<PlanPtr>, kFunctions> plans_;  // the one used last at the end
};

}  // namespace attnscope
