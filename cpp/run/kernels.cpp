#include "kernels.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "../ops/broadcast.h"

namespace attnscope {
namespace {

/// Double precision loops on copies: for operations that take little of a layer's time.
Kernel reference_kernel(const Site& site) {
  return [&graph = site.graph, &step = site.step](Workspace& workspace) {
    std::vector<Array> values(step.inputs.size());
    std::vector<const Array*> operands(step.inputs.size(), nullptr);
    for (size_t i = 0; i < values.size(); ++i) {
      const float* from = workspace.read(step.inputs[i]);
      if (!from) continue;
      const Tensor& tensor = graph.tensor(step.inputs[i]);
      const Shape shape = tensor.role == Role::kOptionalInput
                              ? workspace.given_shape(step.inputs[i])
                              : tensor.shape;
      values[i] = make_array(std::vector<size_t>(shape.begin(), shape.end()));
      std::copy_n(from, values[i].size(), values[i].data());
      operands[i] = &values[i];
    }
    const Array result = step.op->forward(operands);
    std::copy(result.begin(), result.end(), workspace.write(step.output));
  };
}

constexpr std::pair<std::string_view, Kernel (*)(const Site&)> kKernels[] = {
    {"matmul", matmul_kernel},           {"add", add_kernel},
    {"multiply", multiply_kernel},       {"scale", scale_kernel},
    {"softmax", softmax_kernel},         {"weighted_sum", weighted_sum_kernel},
    {"mean_pool", mean_pool_kernel},     {"max_pool", max_pool_kernel},
    {"layer_norm", layer_norm_kernel},   {"rms_norm", rms_norm_kernel},
    {"rotate", rotate_kernel},           {"pair_sum", pair_sum_kernel},
    {"embedding", embedding_kernel},     {"split_heads", split_heads_kernel},
    {"merge_heads", merge_heads_kernel}, {"repeat_heads", repeat_heads_kernel},
    {"concat", concat_kernel},           {"slice", slice_kernel},
};

}  // namespace

const Step* only_reader(const Place& place, const Uses& uses, size_t index, TensorId made) {
  const std::vector<Step>& steps = place.graph.steps();
  const bool next = index < steps.size() && steps[index].inputs[0] == made;
  return next && uses.reads(made) == 1 ? &steps[index] : nullptr;
}

const Step* only_activation(const Place& place, const Uses& uses, size_t index, TensorId made) {
  const Step* step = only_reader(place, uses, index, made);
  return step && activation_function(*step->op) ? step : nullptr;
}

const Step* only_score(const Place& place, const Uses& uses, size_t index, TensorId made) {
  const Step* score = only_reader(place, uses, index, made);
  const bool fits =
      score && score->op->name() == "linear" && place.graph.tensor(score->output).shape.back() == 1;
  return fits ? score : nullptr;
}

const float* sequence_mask(const Workspace& workspace, TensorId mask, const Shape& sequences,
                           int64_t b) {
  const float* start = mask == kNoTensor ? nullptr : workspace.read(mask);
  return start ? start + broadcast_row(workspace.given_shape(mask), sequences, b) : nullptr;
}

Kernel kernel_for(const Site& site) {
  const Aliasing aliasing = site.step.op->aliasing();
  if (aliasing == Aliasing::kReshape || aliasing == Aliasing::kUnlessTraining) {
    return [](Workspace&) {};  // nothing to do
  }
  if (activation_function(*site.step.op)) return activation_kernel(site);
  for (const auto& [name, make] : kKernels) {
    if (site.step.op->name() == name) return make(site);
  }
  return reference_kernel(site);
}

Fusion fusion_at(const Place& place, const Uses& uses, size_t first) {
  for (const auto fuse :
       {scorer_pooling, activated_linear, residual_linear, single_linear, attention}) {
    if (Fusion fusion = fuse(place, uses, first); fusion.steps > 0) return fusion;
  }
  return {};
}

}  // namespace attnscope
