#pragma once

// Reading: the numbers, by the SIMD kernels. A graph becomes a list of kernel calls once, with its
// weights packed; steps that one kernel does together are fused.

#include <memory>
#include <span>
#include <vector>

#include "../graph/graph.h"
#include "parameters.h"
#include "progress.h"
#include "reference.h"
#include "schedule.h"
#include "storage.h"

namespace attnscope {

/// Where the tensors of one run are.
class Workspace {
 public:
  /// `caches`: what each of the graph's caches holds, in their order, where the run goes on after
  /// what is cached; else none.
  Workspace(const Schedule& schedule, const Parameters& parameters, const Inputs& inputs,
            std::span<CachedRows> caches);

  /// Loads a late input, and copies what is cached to where read() finds it.
  void load(TensorId id);

  /// The cache that holds this very tensor, past and new positions; nullptr for any other tensor.
  CachedRows* cache(TensorId id) const { return cached_[static_cast<size_t>(id)]; }

  /// Where an input that has not been loaded comes from; none for any other tensor.
  Source source(TensorId id) const { return inputs_.source(storage(id)); }

  /// Hands a late input, or another shape of it, over to the kernel, which loads all of it in
  /// parts. Anything else is loaded as by load(), and an empty one is returned.
  LateInput take_late(TensorId id);

  /// The tensor's values; nullptr for an absent optional input.
  const float* read(TensorId id) const;

  /// The shape in which an optional input was given: one that broadcasts to the graph's.
  Shape given_shape(TensorId id) const { return shape_of(*inputs_[static_cast<size_t>(id)]); }

  /// The tensor's memory: its place in the arena, or its own, allocated if it has none yet.
  float* write(TensorId id);

  /// Moves the tensor's values out, for forward() to return.
  Values take(TensorId id);

 private:
  size_t storage(TensorId id) const {
    return static_cast<size_t>(schedule_.storage()[static_cast<size_t>(id)]);
  }

  const Schedule& schedule_;
  const Graph& graph_;
  const Inputs& inputs_;
  std::unique_ptr<float[]> arena_;
  std::vector<const float*> memory_;  // by storage
  std::vector<Values> owned_;         // by storage; outputs only
  std::vector<CachedRows*> cached_;   // by tensor
};

class Program {
 public:
  /// `schedule`, its graph and `state` must outlive the program; after a parameter changed it is
  /// made anew.
  Program(const Schedule& schedule, const State& state, PackedWeights& packed);

  /// `progress` may be empty. `caches`, unless it is empty, has one for each of the graph's, and
  /// gets the new positions appended.
  Outputs run(const Inputs& inputs, const Progress& progress,
              std::span<CachedRows> caches = {}) const;

 private:
  void run_kernel(size_t index, Workspace& workspace) const;
  /// Runs all kernels, each in small portions, and tells `progress` after every portion.
  void run_watched(Workspace& workspace, const Progress& progress) const;

  const Schedule& schedule_;
  const Parameters parameters_;
  std::vector<Kernel> kernels_;  // of the schedule's entries
};

}  // namespace attnscope
