#pragma once

// Reading: from when to when the memory of each tensor is needed, by one walk over the steps.

#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"
#include "../graph/storage.h"

namespace attnscope {

/// Bytes, at a number format, of what the steps of a graph make; inputs and parameters are not
/// among them. Each tensor is let go after the last step that reads it or a view of it, results
/// stay to the end. Where autograd records (Sharing::kTraining), what it keeps of a step stays
/// until the last step that is behind it (Step::gradient_of) is done: to the end in a graph without
/// a backward pass. In one with a backward pass nothing is kept of a step that no gradient is
/// behind, and an input only if such a gradient reads it: a product keeps a factor for the gradient
/// by the other factor. A matrix of weights, which our kernels never make, is counted: PyTorch
/// makes it.
struct Lifetimes {
  Count peak = 0;                // most that is alive at one step
  Count peak_without_pairs = 0;  // the same without what has a number for each query and each key;
                                 // 0 where autograd records
  Count left = 0;                // alive when all steps are done: results, and what autograd keeps
  std::vector<Count> saved{};    // where autograd records: of each row of rows_of(graph), all
                                 // iterations, what it is the first to keep; inputs count here
};
Lifetimes lifetimes(const Graph& graph, Dtype dtype, Sharing sharing);

/// A tensor's bytes and the rows between which it is alive; a view lives in the tensor it views.
/// Of a body these are the rows of one iteration: the longest that any one has it, so what is
/// alive at a row by this table may be more than at once in any of them.
struct Lifetime {
  std::string name;      // as Row::name_of() has it
  const Tensor* tensor;  // of the graph that was read, or of a body of it
  Count bytes;
  int born;   // the row that makes it; inputs are there from row 0
  int freed;  // the last row that reads it; inputs and results stay to the last row
};

/// The inputs and the step outputs that own memory, in order of birth. The graph must outlive them.
std::vector<Lifetime> timeline(const Graph& graph, Dtype dtype);

/// Bytes of a tensor, at the config's number format; of token ids always eight each.
Count bytes_of(const Tensor& tensor, Dtype dtype);

}  // namespace attnscope
