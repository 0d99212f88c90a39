#pragma once

// Reading: the numbers, by the SIMD kernels. A graph becomes a list of kernel calls once, with its
// weights packed; steps that one kernel does together are fused.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../graph/graph.h"
#include "parameters.h"
#include "reference.h"

namespace attnscope {

/// For each tensor, the one whose memory it uses when the kernels run: reshapes share memory, but
/// what PyTorch reorders by strides is a copy here, because kernels read contiguous rows.
std::vector<TensorId> run_storage(const Graph& graph);

/// Where the tensors of one run are.
class Workspace {
 public:
  Workspace(const Graph& graph, const std::vector<TensorId>& storage, const Parameters& parameters,
            const Inputs& inputs);

  /// nullptr for an absent optional input.
  const float* read(TensorId id) const;

  /// The shape in which an optional input was given: one that broadcasts to the graph's.
  Shape given_shape(TensorId id) const { return shape_of(*inputs_[static_cast<size_t>(id)]); }

  /// The tensor's memory, allocated if it has none yet.
  float* write(TensorId id);

  /// Takes the tensor out, as the values that forward() returns.
  Values take(TensorId id);

  void free(TensorId id);

 private:
  size_t storage(TensorId id) const {
    return static_cast<size_t>(storage_[static_cast<size_t>(id)]);
  }

  const Graph& graph_;
  const std::vector<TensorId>& storage_;
  const Inputs& inputs_;
  std::vector<const float*> memory_;  // by storage
  std::vector<Values> owned_;         // by storage; activations only
};

/// Weights in the order in which kernels read them, by the parameter's name: each is packed once,
/// for all programs that use it.
class PackedWeights {
 public:
  using Packed = std::shared_ptr<const std::vector<float>>;

  /// What `pack` made of this parameter, the first time or now.
  Packed get(const std::string& name, const std::function<std::vector<float>()>& pack);

 private:
  std::map<std::string, Packed> packed_;
};

/// One kernel call; it knows the tensors that it reads and writes.
using Kernel = std::function<void(Workspace&)>;

class Program {
 public:
  /// `graph`, which has no blocks, and `state` must outlive the program; after a parameter changed
  /// it is made anew.
  Program(const Graph& graph, const State& state, PackedWeights& packed, Keep keep = {});

  Outputs run(const Inputs& inputs) const;

 private:
  struct Instruction {
    Kernel kernel;
    std::vector<TensorId> dead;  // activations that nothing reads afterwards
  };

  const Graph& graph_;
  const std::vector<TensorId> outputs_;
  const Parameters parameters_;
  const std::vector<TensorId> storage_;
  std::vector<Instruction> instructions_;
};

}  // namespace attnscope
