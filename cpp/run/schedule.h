#pragma once

// What runs, in which order and in how much memory: single steps and fused ones, without those that
// nothing needs. Known before anything is allocated.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"

namespace attnscope {

class Workspace;
struct Site;

/// One kernel call; it knows the tensors that it reads and writes.
class Kernel {
 public:
  template <class Call>
  Kernel(Call call) : call_(std::make_unique<Made<Call>>(std::move(call))) {}

  void operator()(Workspace& workspace) const { call_->run(workspace); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void run(Workspace& workspace) const = 0;
  };
  template <class Call>
  struct Made final : Base {
    explicit Made(Call made) : call(std::move(made)) {}
    void run(Workspace& workspace) const override { call(workspace); }
    const Call call;
  };

  std::unique_ptr<const Base> call_;
};

/// What a run hands out: Graph::results(), with attention weights or without, and, where `caches`
/// says so, the new content of the KV cache.
struct Keep {
  bool weights = true;
  bool caches = false;
};
std::vector<TensorId> outputs_of(const Graph& graph, Keep keep);

/// For each tensor, the one whose memory it uses when the kernels run: reshapes share memory, but
/// what PyTorch reorders by strides is a copy here, because kernels read contiguous rows.
std::vector<TensorId> run_storage(const Graph& graph);

/// Which step makes each tensor of a graph, and how often it is read. An output of the run counts
/// as read once more.
class Uses {
 public:
  Uses(const Graph& graph, const std::vector<TensorId>& outputs);

  /// nullptr for inputs and parameters.
  const Step* producer(TensorId id) const { return producers_[static_cast<size_t>(id)]; }
  int reads(TensorId id) const { return reads_[static_cast<size_t>(id)]; }

 private:
  std::vector<const Step*> producers_;
  std::vector<int> reads_;
};

/// Consecutive steps that one kernel does.
struct Fusion {
  size_t steps = 0;                                  // how many; 0 when none fits
  std::vector<TensorId> reads{}, writes{};           // may be others than the steps'
  std::function<Kernel(const Site&)> make_kernel{};  // at the first step's site
  bool loads = false;                                // whether it loads late inputs itself
};

class Schedule {
 public:
  struct Entry {
    const Step* step;            // the first
    Fusion fusion;               // of one step when there is none
    std::vector<TensorId> dead;  // activations that nothing reads afterwards
  };

  /// `graph`, which has no calls (graph/unroll.h), must outlive the schedule.
  explicit Schedule(const Graph& graph, Keep keep = {});

  const Graph& graph() const { return graph_; }
  /// The outputs that are returned: all but those for the KV cache.
  std::span<const TensorId> results() const { return std::span(outputs_).first(results_); }
  const std::vector<TensorId>& storage() const { return storage_; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// Where an activation that is no output lies in the arena, in floats from its start; nothing
  /// for what has memory of its own.
  std::optional<Count> offset(TensorId storage) const {
    return offsets_[static_cast<size_t>(storage)];
  }
  Count arena_size() const { return arena_size_; }

  /// Bytes of a run: parameters and their packed copy in the model's storage format, inputs but for
  /// masks, the arena, the results and their copies.
  Count bytes(Dtype storage = Dtype::kFloat32) const;

 private:
  void leave_out_unneeded();
  void plan();

  const Graph& graph_;
  std::vector<TensorId> outputs_;
  size_t results_;  // outputs that are returned; the others are for caches
  std::vector<TensorId> storage_;
  std::vector<Entry> entries_;
  std::vector<std::optional<Count>> offsets_;  // by storage
  Count arena_size_ = 0;                       // floats
};

}  // namespace attnscope
