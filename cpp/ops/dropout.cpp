#include "dropout.h"

#include "../graph/number.h"
#include "arithmetic.h"

namespace attnscope {

Cost Dropout::cost(const InputShapes&, const Shape& output) const {
  if (!training_) return {};
  return {{Operation::kMultiplication, elements(output)}};
}

Array Dropout::forward(const std::vector<const Array*>& inputs) const {
  return training_ ? Multiply().forward(inputs) : *inputs[0];
}

void Dropout::gradients(GradientBuilder& step) const {
  const TensorId dy = step.gradient();
  step.give(0, training_ ? step.add(shared_op<Multiply>(), {dy, step.input(1)}) : dy);
}

std::string Dropout::pytorch(const std::vector<std::string>& inputs,
                             std::string_view module) const {
  if (!module.empty()) return format("{}({})", {module, inputs[0]});
  return format("F.dropout({}, {}, self.training)", {inputs[0], share_});
}

DropoutModule declare_dropout(Parameters& parameters, std::string_view name, double share,
                              bool made) {
  if (share == 0) return {};
  const std::string constructor = made ? format("nn.Dropout({})", {share}) : "";
  return {share, parameters.add_module(name, constructor)};
}

TensorId apply_dropout(Graph& graph, const DropoutModule& dropout, std::string_view part,
                       TensorId x, std::string_view output) {
  if (dropout.share == 0) return x;
  return graph.add_step(output, part, make_op<Dropout>(dropout.share), {x}, output, dropout.module);
}

}  // namespace attnscope
