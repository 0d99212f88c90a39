#pragma once

// Which kernel computes which step. Each file of run/ops/ makes the kernels of one operation.

#include "program.h"

namespace attnscope {

/// A step in its graph.
struct Place {
  const Graph& graph;
  const Step& step;

  TensorId input(size_t i) const { return step.inputs[i]; }
  bool has_input(size_t i) const { return i < step.inputs.size(); }
  const Shape& input_shape(size_t i) const { return graph.tensor(step.inputs[i]).shape; }
  const Shape& output_shape() const { return graph.tensor(step.output).shape; }

  template <class Operation>
  const Operation& op() const {
    return static_cast<const Operation&>(*step.op);
  }
};

/// A step whose kernel is to be made.
struct Site : Place {
  const Parameters& parameters;
  PackedWeights& packed;

  /// A parameter's first value.
  const float* parameter(size_t i) const {
    return parameters[static_cast<size_t>(input(i))]->data() + graph.tensor(input(i)).offset;
  }
};

inline int64_t count_of(const Shape& shape) { return static_cast<int64_t>(elements(shape)); }

/// The step at `index`, when it reads `made` and nothing else does.
const Step* only_reader(const Place& place, const Uses& uses, size_t index, TensorId made);

/// The same, when it is an activation.
const Step* only_activation(const Place& place, const Uses& uses, size_t index, TensorId made);

/// The same, when it is linear to one score.
const Step* only_score(const Place& place, const Uses& uses, size_t index, TensorId made);

/// Where the mask of sequence b starts, of those of shape `sequences`, (batch, seq_len); nullptr
/// where there is none.
const float* sequence_mask(const Workspace& workspace, TensorId mask, const Shape& sequences,
                           int64_t b);

/// The kernel of one step; a step whose op has none yet runs by its reference loops.
Kernel kernel_for(const Site& site);

/// The fused kernel that can start at this step, which is steps()[first].
Fusion fusion_at(const Place& place, const Uses& uses, size_t first);

/// A scorer, squeeze, softmax and the weighted sum of the scored rows: each row is read once. The
/// scorer is linear to one score, or has linear and its activation before that.
Fusion scorer_pooling(const Place& place, const Uses& uses, size_t first);

/// linear by itself.
Fusion single_linear(const Place& place, const Uses& uses, size_t first);

/// linear and its activation, and after them linear to one score.
Fusion activated_linear(const Place& place, const Uses& uses, size_t first);

/// linear, and what is added to its result; a dropout between them does nothing here.
Fusion residual_linear(const Place& place, const Uses& uses, size_t first);

/// Attention: from the product of queries and keys to that of weights and values, or to the
/// merging of heads after it.
Fusion attention(const Place& place, const Uses& uses, size_t first);

/// y[i] = f(x[i]) of `length` numbers; x and y may be the same memory.
using MapFunction = void (*)(const float* x, int64_t length, float* y);

/// nullptr for an op that is no activation.
MapFunction activation_function(const Op& op);

// Of single operations; the table in kernels.cpp says which op has which.
Kernel matmul_kernel(const Site& site);
Kernel activation_kernel(const Site& site);
Kernel add_kernel(const Site& site);
Kernel multiply_kernel(const Site& site);
Kernel scale_kernel(const Site& site);
Kernel softmax_kernel(const Site& site);
Kernel weighted_sum_kernel(const Site& site);
Kernel mean_pool_kernel(const Site& site);
Kernel max_pool_kernel(const Site& site);
Kernel layer_norm_kernel(const Site& site);
Kernel rms_norm_kernel(const Site& site);
Kernel rotate_kernel(const Site& site);
Kernel pair_sum_kernel(const Site& site);
Kernel embedding_kernel(const Site& site);
Kernel split_heads_kernel(const Site& site);
Kernel merge_heads_kernel(const Site& site);
Kernel repeat_heads_kernel(const Site& site);
Kernel concat_kernel(const Site& site);
Kernel slice_kernel(const Site& site);

}  // namespace attnscope
