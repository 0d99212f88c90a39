#pragma once

// Which kernel computes which step. Each file of run/ops/ makes the kernels of one operation.

#include "program.h"

namespace attnscope {

/// A step, with the graph that it belongs to.
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

/// A step whose kernel is to be made, with the model's parameters.
struct Site : Place {
  const Parameters& parameters;
  PackedWeights& packed;

  /// Where the values of input `i`, a parameter, begin.
  const float* parameter(size_t i) const {
    return parameters[static_cast<size_t>(input(i))]->data() + graph.tensor(input(i)).offset;
  }
};

inline int64_t count_of(const Shape& shape) { return static_cast<int64_t>(elements(shape)); }

/// The step at `index`, if its first input is `made` and no other step reads that; else nullptr.
const Step* only_reader(const Place& place, const Uses& uses, size_t index, TensorId made);

/// The same, if it is an activation.
const Step* only_activation(const Place& place, const Uses& uses, size_t index, TensorId made);

/// The same, if it is a linear step with one output feature, the score.
const Step* only_score(const Place& place, const Uses& uses, size_t index, TensorId made);

/// Where the mask of sequence `b` starts, in a mask that broadcasts to `sequences`, which is
/// (batch, seq_len); nullptr where there is no mask.
const float* sequence_mask(const Workspace& workspace, TensorId mask, const Shape& sequences,
                           int64_t b);

/// The kernel of one step; a step whose op has none yet runs by its reference loops.
Kernel kernel_for(const Site& site);

/// The fused kernel that can start at this step, which is steps()[first].
Fusion fusion_at(const Place& place, const Uses& uses, size_t first);

/// A scorer, squeeze, softmax and the weighted sum of the scored rows: each row is read once. The
/// scorer is a linear step to one score, or a linear step, its activation, and that.
Fusion scorer_pooling(const Place& place, const Uses& uses, size_t first);

/// A linear step by itself.
Fusion single_linear(const Place& place, const Uses& uses, size_t first);

/// A linear step and its activation; and the linear step to one score, where that follows.
Fusion activated_linear(const Place& place, const Uses& uses, size_t first);

/// A linear step, and the sum that adds its result to something else; a dropout between them does
/// nothing when a layer runs.
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
