#pragma once

// Whose memory each tensor uses. Operations say what their outputs are views of (Op::alias());
// here is what follows from that.

#include <span>
#include <vector>

#include "graph.h"

namespace attnscope {

/// For whom memory is one.
enum class Sharing {
  kInference,  // PyTorch, where nothing is trained: every view
  kTraining,   // PyTorch, while autograd records: a dropout then has memory of its own
  kRun,        // our kernels read contiguous rows: what PyTorch reorders by strides is a copy; and
               // what works in place does so only where nobody needs the numbers before
};

/// The input of the step in whose memory its output `output` is; kNoTensor where it has its own.
TensorId shared_input(const Step& step, TensorId output, Sharing sharing);

/// Of each tensor the one whose memory it uses: itself, or of a view, and of a view of that, the
/// tensor that is none. For kInference this is Tensor::storage, which is known while the graph is
/// still being built. `handed_out`: what leaves a run, of kRun.
std::vector<TensorId> storages(const Graph& graph, Sharing sharing,
                               std::span<const TensorId> handed_out = {});

}  // namespace attnscope
