#pragma once

// Reading: how much memory a run needs, and what training keeps of it.

#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"

namespace attnscope {

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

/// What a layer has of each before it runs; optional inputs left out.
Count parameter_bytes(const Graph& graph, Dtype dtype);
Count input_bytes(const Graph& graph, Dtype dtype);

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
