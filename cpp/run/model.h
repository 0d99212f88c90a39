#pragma once

// A layer with its learned values, ready to run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../layers/layer.h"
#include "program.h"
#include "rounding.h"
#include "storage.h"

namespace attnscope {

struct ForwardOptions {
  std::optional<Dtype> round;  // round weights and inputs to this format first; int8 leaves biases
  bool compare = false;        // report the error that the model's storage format makes
  bool reference = false;      // by plain loops in double precision instead of the kernels
  bool weights = true;         // whether attention weights are among the outputs
};

struct Forward {
  Outputs outputs;                     // of Graph::results(), in that order
  std::optional<RoundingError> error;  // of the first result against float32, where asked for
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

  // The program points into the graph and the parameters.
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Config& config() const { return config_; }
  const Graph& graph() const { return graph_; }

  /// What it keeps between calls: parameters, what kernels have made of them, and the KV cache.
  Count held_bytes() const;

  std::vector<StateEntry> state() const;

  /// Replaces every parameter; `values` are parallel to state() and of the same shapes.
  void load_state(State values);

  /// Throws FieldError when attention weights are wanted and need more than the memory limit.
  Forward forward(const Inputs& inputs, const ForwardOptions& options,
                  const Progress& progress = {}) const;

  /// The layer as it runs on further positions after those in the KV cache.
  struct NextStep {
    NextStep(Graph unrolled, bool weights)
        : graph(std::move(unrolled)), schedule(graph, {.weights = weights, .caches = true}) {}
    const Graph graph;
    const Schedule schedule;
  };

  /// With `new_len` positions. Throws FieldError for a layer without cache, where the layer's own
  /// rules forbid it, and where it needs more than the memory limit.
  std::unique_ptr<const NextStep> next_step(int64_t new_len, bool weights = true) const;

  /// Runs `next` on `inputs`, which has everything but the past, and appends the new positions to
  /// the KV cache. Returns the results, attention weights only if next_step() was asked for them.
  Outputs step(const NextStep& next, Inputs inputs, const Progress& progress = {});

  /// Positions in the KV cache.
  int64_t past_len() const { return past_len_; }
  void clear_cache();

 private:
  /// Parameters, their packed copies, and the programs that read them; replaced together or not at
  /// all.
  struct Weights {
    Weights(const Schedule& all, const Schedule& least, State values, Dtype storage)
        : state(std::move(values)),
          packed(storage),
          program(all, state, packed),
          least(least, state, packed) {}
    const State state;
    PackedWeights packed;
    const Program program, least;
  };

  Outputs run(const Weights& weights, const Inputs& inputs, const ForwardOptions& options,
              const Progress& progress) const;
  /// The results with `weights`, and how far they are from those with `exact_weights`.
  Forward compared(const Weights& weights, const Inputs& inputs, const Weights& exact_weights,
                   const Inputs& exact_inputs, const ForwardOptions& options,
                   const Progress& progress) const;
  Forward forward_rounded(const Inputs& inputs, const ForwardOptions& options,
                          const Progress& progress) const;

  Config config_;
  Count memory_limit_;
  Dtype storage_;
  Graph graph_;
  Schedule all_, least_;  // with attention weights and without
  Count all_bytes_ = 0;
  std::unique_ptr<Weights> weights_;
  int64_t past_len_ = 0;
  std::vector<CachedRows> cache_;  // parallel to Graph::caches(); empty before the first step
};

/// Bytes that Model and one forward() need, as Schedule::bytes() counts them.
Count bytes_to_run(const Config& config, Keep keep = {}, Dtype storage = Dtype::kFloat32);

}  // namespace attnscope
