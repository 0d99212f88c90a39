#pragma once

// Where the numbers of one run are.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../graph/graph.h"
#include "inputs.h"
#include "scratch.h"
#include "storage.h"
#include "weights.h"

namespace attnscope {

/// Where a run keeps what it makes.
struct Placement {
  std::vector<TensorId> storage;              // of each tensor the one whose memory it uses
  std::vector<std::optional<Count>> offsets;  // by storage: bytes from the arena's start; nothing:
                                              // memory of its own, because it leaves the run
  Count arena_bytes = 0;

  size_t storage_of(TensorId id) const {
    return static_cast<size_t>(storage[static_cast<size_t>(id)]);
  }
};

class Workspace {
 public:
  /// Allocates the arena and the results. `caches`: parallel to the graph's states, nullptr of
  /// those that are no cache, where the run goes on after what is cached; else none.
  Workspace(const Graph& graph, const Placement& placement, std::span<const TensorId> results,
            const BoundWeights& weights, const Inputs& inputs, std::span<CachedRows* const> caches);

  /// Makes room for what the next kernel writes, and shows it its scratch, which begins `offset`
  /// bytes into the arena.
  void enter(std::span<const TensorId> writes, const Scratch& scratch, Count offset);

  /// Loads a late input, and copies what is cached to where read() finds it.
  void load(TensorId id);

  /// The cache that holds this very tensor, past and new positions; nullptr for any other tensor.
  CachedRows* cache(TensorId id) const { return cached_[static_cast<size_t>(id)]; }

  /// Where an input that has not been loaded comes from; none for any other tensor.
  Source source(TensorId id) const { return inputs_.source(placement_.storage_of(id)); }

  /// Hands a late input, or another shape of it, over to the kernel, which loads all of it in
  /// parts. Anything else is loaded as by load(), and an empty one is returned.
  LateInput take_late(TensorId id);

  /// The tensor's values; nullptr for an absent optional input.
  const float* read(TensorId id) const;

  /// A weight as the products read it.
  const PackedMatrix& packed(const Packing& how) const { return *weights_.packed[how.place()]; }

  /// The shape in which an optional input was given: one that broadcasts to the graph's.
  const Shape& given_shape(TensorId id) const { return given_shapes_[static_cast<size_t>(id)]; }

  /// The tensor's memory, in the arena or its own.
  float* write(TensorId id);

  /// A slot of the kernel's scratch; of one that each thread has, the calling thread's.
  template <class T>
  T* at(Slot<T> slot) const {
    return reinterpret_cast<T*>(scratch_bytes(slot.offset, slot.each_thread));
  }

  /// Moves the values of the results out, for forward() to return.
  Outputs take_results();

 private:
  /// Memory of its own for a tensor that leaves the run.
  void give_memory(size_t storage);
  std::byte* scratch_bytes(Count offset, bool each_thread) const;

  const Graph& graph_;
  const Placement& placement_;
  const BoundWeights& weights_;
  const Inputs& inputs_;
  const std::span<const TensorId> results_;
  std::unique_ptr<std::byte[]> arena_;
  std::vector<const float*> memory_;  // by storage
  Outputs outputs_;                   // parallel to the results
  std::vector<Values> others_{};      // of what leaves the run otherwise: appended to a state, say
  std::vector<CachedRows*> cached_;   // by tensor
  std::vector<Shape> given_shapes_;   // by tensor; of optional inputs only
  const Scratch* scratch_ = nullptr;  // of the kernel that runs
  std::byte* scratch_start_ = nullptr;
};

}  // namespace attnscope
