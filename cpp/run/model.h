#pragma once

// A layer with its learned values, ready to run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../layers/layer.h"
#include "../training/backward.h"
#include "execute.h"
#include "plans.h"
#include "random.h"
#include "rounding.h"
#include "weights.h"

namespace attnscope {

struct ForwardOptions {
  std::optional<Dtype>
      round{};             // round weights and inputs to this format first; int8 leaves biases
  bool compare = false;    // report the error that the model's storage format makes
  bool reference = false;  // by plain loops in double precision instead of the kernels
};

struct Forward {
  Outputs outputs;                     // of outputs_of(), in that order
  std::optional<RoundingError> error;  // of the first result against float32, where asked for
};

/// What forward() is asked for besides the results that it always returns.
struct Wanted {
  bool weights = true;                 // attention weights
  std::vector<std::string> tensors{};  // between the steps, by name (run/kept.h)
};

/// A parameter's name, "score.weight", and where its values are.
struct StateEntry {
  std::string name;
  const Values* values;
};

/// A layer for inputs of some lengths, with what a run of it does; it has no weights.
struct Plan {
  Plan(const Config& of, Graph unrolled, Keep kept, RunFor what,
       std::vector<std::string> names_of_kept = {})
      : config(of),
        keep(std::move(kept)),
        tensors(std::move(names_of_kept)),
        how(what),
        graph(std::move(unrolled)),
        schedule(graph, keep, what) {}

  // The schedule points into the graph.
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Graph& whole() const { return graph; }

  const Config config;
  const Keep keep;
  const std::vector<std::string> tensors;  // names of Keep::tensors
  const RunFor how;
  const Graph graph;
  const Schedule schedule;
};
using PlanPtr = std::shared_ptr<const Plan>;

/// The same of a layer's backward pass.
struct BackwardPlan {
  BackwardPlan(const Config& of, std::vector<std::string> results,
               std::vector<std::string> names_of_tensors, BackwardGraph graph)
      : config(of),
        from(std::move(results)),
        tensors(std::move(names_of_tensors)),
        made(std::move(graph)),
        schedule(made.graph) {}

  // The schedule points into the graph.
  BackwardPlan(const BackwardPlan&) = delete;
  BackwardPlan& operator=(const BackwardPlan&) = delete;

  const Graph& whole() const { return made.graph; }

  const Config config;
  const std::vector<std::string> from;     // the results by which gradients are given
  const std::vector<std::string> tensors;  // between the steps, by which there are gradients too
  const BackwardGraph made;
  const Schedule schedule;
};
using BackwardPlanPtr = std::shared_ptr<const BackwardPlan>;

class Model {
 public:
  /// Draws the weights that torch.manual_seed(seed) gives the printed module. Linear layers run
  /// with theirs as PackedMatrix stores them, and the KV cache rests as CachedRows. Throws
  /// FieldError, before anything is allocated, when even a run that returns no attention weights
  /// needs more than `memory_limit` bytes.
  Model(const Config& config, uint64_t seed, Count memory_limit, Dtype storage = Dtype::kFloat32);

  const Config& config() const { return config_; }
  /// The layer for inputs of the config's own lengths.
  const Graph& graph() const { return graph_; }

  /// The most work of one kernel of a run with inputs of those lengths.
  double most_work() const { return most_work_; }

  /// What it keeps between calls: parameters, their packed copies, and the KV cache.
  Count held_bytes() const;

  std::vector<StateEntry> state() const;

  /// Replaces every parameter in place; `values` are parallel to state() and of the same shapes.
  void load_state(const ParameterValues& values);

  /// What forward() does with inputs of these shapes, or, where none are given, of the config's
  /// own: their batch and lengths may be others than the config's where no parameter has that size.
  /// The last few plans are kept. Throws FieldError where the layer's own rules forbid the lengths,
  /// where no tensor has a name that is wanted, and where a run needs more than the memory limit.
  PlanPtr plan(const Wanted& wanted = {}, const std::vector<GivenShape>& given = {}) const;

  /// `inputs` are those of the plan's graph. Attention weights are returned if the plan keeps them,
  /// and then the tensors that it keeps.
  Forward forward(const Plan& plan, const Inputs& inputs, const ForwardOptions& options,
                  const Progress& progress = {}) const;

  /// What step() does on `new_len` further positions after those in the KV cache. Throws FieldError
  /// for a layer without cache, where the layer's own rules forbid it, and where it needs more than
  /// the memory limit.
  PlanPtr next_plan(int64_t new_len, bool weights = true) const;

  /// Runs `next` on `inputs`, which has everything but the past, and appends the new positions to
  /// the KV cache. Returns the results, attention weights only if next_plan() was asked for them.
  Outputs step(const Plan& next, Inputs inputs, const Progress& progress = {});

  /// The plan of backward(), for inputs of these shapes, where gradients by the results `from` are
  /// given, and those by the tensors of these names asked for besides. Throws FieldError as plan()
  /// does, where `from` is empty or no parameter or input has any influence on it, and where one of
  /// the tensors has none.
  BackwardPlanPtr backward_plan(const std::vector<std::string>& from,
                                const std::vector<std::string>& tensors,
                                const std::vector<GivenShape>& given) const;

  /// The gradients that the plan lists. `inputs` are those of its graph.
  Outputs backward(const BackwardPlan& plan, const Inputs& inputs, bool reference,
                   const Progress& progress = {}) const;

  /// A run of any schedule of this layer, as training has them; results are those of its graph.
  Outputs run_schedule(const Schedule& schedule, const Inputs& inputs, const Progress& progress,
                       FunctionRef<void(const Workspace& workspace)> before_updates = {}) const;

  /// What is left of the generator that has drawn the weights: dropout goes on with it.
  const Generator& generator() const { return generator_; }
  Weights& weights() { return *weights_; }
  Count memory_limit() const { return memory_limit_; }

  /// Positions in the KV cache.
  int64_t past_len() const { return past_len_; }
  void clear_cache();

 private:
  Outputs run(const Plan& plan, Weights& weights, const Inputs& inputs,
              const ForwardOptions& options, const Progress& progress) const;
  /// The results with `weights`, and how far they are from those with `exact_weights`.
  Forward compared(const Plan& plan, Weights& weights, const Inputs& inputs, Weights& exact_weights,
                   const Inputs& exact_inputs, const ForwardOptions& options,
                   const Progress& progress) const;
  Forward forward_rounded(const Plan& plan, const Inputs& inputs, const ForwardOptions& options,
                          const Progress& progress) const;

  void check_memory(const Plan& plan, const ForwardOptions& options) const;

  Config config_;
  Count memory_limit_;
  Dtype storage_;
  Graph graph_;
  Generator generator_;
  double most_work_;
  std::unique_ptr<Weights> weights_;
  mutable Plans<Plan> plans_;  // of forward()
  mutable Plans<BackwardPlan> backward_plans_;
  int64_t past_len_ = 0;
  std::vector<CachedRows> cache_;  // parallel to Graph::caches(); empty before the first step
};

/// Bytes that a model and one forward() take at once, without masks.
Count bytes_to_run(const Config& config, const Wanted& wanted = {}, Dtype storage = Dtype::kFloat32,
                   const ForwardOptions& options = {});

}  // namespace attnscope
