#pragma once

// What runs, in which order and in how much memory: single steps and fused ones, without those that
// nothing needs. Known before anything is allocated.

#include <span>
#include <vector>

#include "fusion.h"
#include "workspace.h"

namespace attnscope {

/// What a run hands out: Graph::results(), with attention weights or without, other tensors that
/// steps make, and, where `states` says so, by what states are replaced and what is appended to
/// them.
struct Keep {
  bool weights = true;
  bool states = false;
  std::vector<TensorId> tensors{};
};
std::vector<TensorId> outputs_of(const Graph& graph, const Keep& keep);

class Schedule {
 public:
  struct Entry {
    Fusion fusion;
    double work;                 // multiply-accumulates and other operations of its steps
    std::vector<TensorId> dead;  // activations that nothing reads afterwards
    Count scratch = 0;           // where its scratch begins, in bytes from the arena's start
    bool updates = false;        // whether it writes parameters or state in place
  };

  /// `graph`, which must have no loops (graph/unroll.h), must outlive the schedule.
  explicit Schedule(const Graph& graph, const Keep& keep = {}, RunFor how = {});

  const Graph& graph() const { return graph_; }
  RunFor how() const { return how_; }
  /// The outputs that are returned: all but what is appended to a state.
  std::span<const TensorId> results() const { return std::span(outputs_).first(results_); }
  const std::vector<Entry>& entries() const { return entries_; }
  const Placement& placement() const { return placement_; }
  /// The most work that one of its entries has.
  double most_work() const;
  /// The weights that its kernels read packed.
  const std::vector<Packing>& packed() const { return packed_; }

  /// Bytes of the parameters, of what is kept beside them, of those that are packed in a storage
  /// format, of what one run is given, without masks, and of what it returns.
  Count parameter_bytes() const;
  Count state_bytes() const;
  Count packed_bytes(Dtype storage) const;
  Count input_bytes() const;
  Count result_bytes() const;

  /// Bytes that a model takes with one run: parameters, state, weights that are packed once more,
  /// inputs but for masks, the arena, and the results.
  Count bytes() const;

 private:
  void leave_out_unneeded();
  void plan();

  const Graph& graph_;
  const RunFor how_;
  std::vector<TensorId> outputs_;
  size_t results_;  // outputs that are returned; the others are appended to states
  std::vector<Entry> entries_;
  std::vector<Packing> packed_;
  Placement placement_;
};

}  // namespace attnscope
