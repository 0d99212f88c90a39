#pragma once

// What a run is made for, and what it does: one function of a layer, for inputs of certain shapes.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../layers/layer.h"
#include "inputs.h"
#include "rounding.h"
#include "schedule.h"
#include "state.h"

namespace attnscope {

/// What can be asked of a layer. An accumulation of gradients is the first call, the next ones and
/// the last one, which updates; or the only one.
enum class Function {
  kForward,
  kStep,
  kBackward,
  kTrainOnly,
  kTrainFirst,
  kTrainNext,
  kTrainLast,
  kEvaluate
};
inline constexpr size_t kFunctions = static_cast<size_t>(Function::kEvaluate) + 1;

/// By what a plan is found, with its config and the number of threads.
struct PlanKey {
  Function function = Function::kForward;
  bool weights = true;                 // whether attention weights are among the results
  bool masks = true;                   // whether optional inputs may be given, where it matters
  std::vector<std::string> tensors{};  // between the steps (run/kept.h): handed out after the
                                       // results, or, of kBackward, gradients by them
  std::vector<std::string> given_gradients{};  // of kBackward: of which results

  bool operator==(const PlanKey&) const = default;
};

/// The graph of a function, without loops.
struct FunctionGraph {
  Graph graph;
  Keep keep{};
};

/// A state that a run reads or changes.
struct BoundState {
  size_t state;       // its number among the States
  size_t result = 0;  // of one that is replaced: the place of what takes its place
};

/// Has no weights. Nothing in it changes after it is made and bound.
struct Plan {
  Plan(const Config& of, const PlanKey& by, FunctionGraph made, RunFor what);

  // The schedule points into the graph, and the names into both.
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// Finds its states, or makes them, where the function keeps any.
  void bind(States& states);

  /// The place of a result in what a run hands out; std::logic_error for a name that there is not.
  size_t result(std::string_view name) const;

  /// How many results there are: tensors that are asked for by name come behind them.
  size_t results() const { return names.size() - keep.tensors.size(); }

  /// The tensor at a place.
  TensorId tensor(size_t place) const { return schedule.results()[place]; }

  const Config config;
  const PlanKey key;
  const Graph graph;
  const Keep keep;
  const Schedule schedule;
  const std::vector<const std::string*> names;  // of what a run hands out, in its order
  std::vector<BoundState> states{};             // parallel to the graph's
};
using PlanPtr = std::shared_ptr<const Plan>;

/// What a run hands out, in the plan's order and under its names; the plan must outlive it.
struct Results {
  const Plan& plan;
  Outputs values;
  std::optional<RoundingError> error{};  // of the first result against float32, where asked for

  Values& at(std::string_view name) { return values[plan.result(name)]; }
};

}  // namespace attnscope
