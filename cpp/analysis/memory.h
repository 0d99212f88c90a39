#pragma once

// Reading: how long each tensor lives, and so how much memory a run and a training step need.

#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"

namespace attnscope {

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

/// Bytes, at the config's dtype.
struct Memory {
  Count parameters = 0;
  Count inputs = 0;            // optional inputs left out
  Count output = 0;            // everything that forward returns
  Count activations_peak = 0;  // most bytes of step outputs alive at one step, results included
  Count inference_total = 0;   // parameters + inputs + activations_peak
  // The same where no attention weights are returned, and whatever has a number for each query and
  // key is made part by part, as attnscope's kernels and FlashAttention's do.
  Count activations_peak_without_weights = 0;
  Count inference_total_without_weights = 0;

  // Training, with every input and parameter requiring a gradient. All 0 when not trainable(dtype).
  Count saved_for_backward = 0;  // what autograd keeps, each storage once, parameters left out
  Count gradients = 0;           // one for each parameter
  Count kept_for_backward = 0;   // parameters, gradients, and what is alive when the forward pass
                                 // ends: inputs, saved tensors, results

  std::vector<Count> step_saved;  // parallel to rows_of(graph), all iterations: what it is the
                                  // first to save
};

Memory memory(const Graph& graph, Dtype dtype);

/// The inputs and the step outputs that own memory, in order of birth. The graph must outlive them.
std::vector<Lifetime> timeline(const Graph& graph, Dtype dtype);

/// Bytes of the KV cache, over all layers. Source of the formula: the states of the graph that are
/// appended to.
struct KvCache {
  Count bytes_per_token = 0;     // of one position of one sequence, while every layer keeps it
  Count bytes_per_sequence = 0;  // of one sequence to its present end; windows keep no more than
                                 // their length
  Count bytes = 0;               // of the batch
};
KvCache kv_cache(const Graph& graph, Dtype dtype);

}  // namespace attnscope
