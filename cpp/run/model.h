#pragma once

// A layer with its learned values, ready to run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../layers/layer.h"
#include "execute.h"
#include "plans.h"
#include "transaction.h"
#include "weights.h"

namespace attnscope {

struct RunOptions {
  std::optional<Dtype>
      round{};             // round weights and inputs to this format first; int8 leaves biases
  bool compare = false;    // report the error that the model's storage format makes
  bool reference = false;  // by plain loops in double precision instead of the kernels
};

/// A parameter's name, "score.weight", and where its values are.
struct StateEntry {
  std::string name;
  const Values* values;
};

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

  /// The format in which runs read each parameter, parallel to state(): the storage format where
  /// linear products read a packed copy, float32 of biases, norms, embeddings and linear layers
  /// with one output.
  std::vector<Dtype> parameter_formats() const;

  /// The format in which the KV cache rests; nothing of a layer without a cache.
  std::optional<Dtype> cache_format() const;

  /// Replaces every parameter in place; `values` are parallel to state() and of the same shapes.
  void load_state(const ParameterValues& values);

  /// The plan of kForward, or of kBackward, that `asked` says, for inputs of these shapes, or,
  /// where none are given, of the config's own: their batch and lengths may be others than the
  /// config's where no parameter has that size. The last few plans are kept. Throws FieldError
  /// where the layer's own rules forbid the lengths, where no tensor has a name that is asked for,
  /// and where a run needs more than the memory limit; of kBackward, where gradients are given by
  /// no result, or by none on which a parameter or input has any influence, and where one of the
  /// tensors has none.
  PlanPtr plan(const PlanKey& asked = {}, const std::vector<GivenShape>& given = {}) const;

  /// Runs a plan that changes nothing. `inputs` are those of its graph.
  Results run(const Plan& plan, const Inputs& inputs, const RunOptions& options = {},
              const Progress& progress = {}) const;

  /// transact() with the model's weights, which the plan may change in place.
  Results transact(const Plan& plan, Inputs inputs, Kept& kept, const Progress& progress,
                   std::string_view unchecked = {}) const;

  /// What step() does on `new_len` further positions after those in the KV cache. Throws FieldError
  /// for a layer without cache, where the layer's own rules forbid it, and where it needs more than
  /// the memory limit.
  PlanPtr next_plan(int64_t new_len, bool weights = true);

  /// Runs `next` on `inputs`, which has everything but the past, and appends the new positions to
  /// the KV cache. Returns the results, attention weights only if next_plan() was asked for them.
  Results step(const Plan& next, Inputs inputs, const Progress& progress = {});

  /// What is left of the generator that has drawn the weights: dropout goes on with it.
  const Generator& generator() const { return kept_.generator; }
  Weights& weights() { return *weights_; }
  Count memory_limit() const { return memory_limit_; }

  /// Positions in the KV cache.
  int64_t past_len() const;
  void clear_cache();

 private:
  Outputs run_with(Weights& weights, const Plan& plan, const Inputs& inputs, bool reference,
                   const Progress& progress) const;
  /// The results with `weights`, and how far they are from those with `exact_weights`.
  Results compared(const Plan& plan, Weights& weights, const Inputs& inputs, Weights& exact_weights,
                   const Inputs& exact_inputs, bool reference, const Progress& progress) const;
  Results run_rounded(const Plan& plan, const Inputs& inputs, const RunOptions& options,
                      const Progress& progress) const;

  void check_memory(const Plan& plan, const RunOptions& options) const;

  Config config_;
  Count memory_limit_;
  Dtype storage_;
  Graph graph_;
  Kept kept_;  // the KV cache, its length, and the generator that has drawn the weights
  double most_work_;
  std::unique_ptr<Weights> weights_;
  mutable Plans plans_;
};

/// Bytes that a model and one forward() take at once, without masks.
Count bytes_to_run(const Config& config, const PlanKey& key = {}, Dtype storage = Dtype::kFloat32,
                   const RunOptions& options = {});

}  // namespace attnscope
