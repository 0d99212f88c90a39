#pragma once

// Reading: the numbers, by the SIMD kernels. A graph becomes a list of kernel calls once, with its
// weights packed; steps that one kernel does together are fused.

#include <functional>
#include <memory>
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
  const float* read(TensorId id) const { return memory_[storage(id)]; }

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
  std::vector<const float*> memory_;  // by storage
  std::vector<Values> owned_;         // by storage; activations only
};

/// One kernel call; it knows the tensors that it reads and writes.
using Kernel = std::function<void(Workspace&)>;

class Program {
 public:
  /// `graph` and `parameters` must outlive the program; after a parameter changed it is made anew.
  Program(const Graph& graph, const Parameters& parameters);

  /// The results of Graph::results(), in that order.
  Outputs run(const Inputs& inputs) const;

 private:
  struct Instruction {
    Kernel kernel;
    std::vector<TensorId> dead;  // activations that nothing reads afterwards
  };

  const Graph& graph_;
  const Parameters& parameters_;
  const std::vector<TensorId> storage_;
  std::vector<Instruction> instructions_;
};

}  // namespace attnscope
