#include "sequences.h"

#include "broadcast.h"

namespace attnscope {

Shape pooled_shape(std::string_view op, const InputShapes& inputs) {
  const Shape& x = *inputs[0];
  if (x.size() != 3 ||
      (inputs.size() > 1 && inputs[1] && !broadcasts_to(*inputs[1], {x[0], x[1]}))) {
    wrong_graph("{}: {} has no positions to pool", {op, x});
  }
  return {x[0], x[2]};
}

std::vector<TensorId> with_mask(const GradientBuilder& step, std::vector<TensorId> inputs) {
  if (step.input(1) != kNoTensor) inputs.push_back(step.input(1));
  return inputs;
}

}  // namespace attnscope
