#include "dropout.h"

#include "../graph/number.h"

namespace attnscope {

std::string Dropout::pytorch(const std::vector<std::string>& inputs,
                             std::string_view module) const {
  if (!module.empty()) return std::string(module) + "(" + inputs[0] + ")";
  return "F.dropout(" + inputs[0] + ", " + number_text(share_) + ", self.training)";
}

DropoutModule declare_dropout(Graph& graph, std::string name, double share, bool made) {
  if (share == 0) return {};
  const std::string constructor = made ? "nn.Dropout(" + number_text(share) + ")" : "";
  return {share, graph.add_module(std::move(name), constructor)};
}

TensorId apply_dropout(Graph& graph, const DropoutModule& dropout, std::string part, TensorId x,
                       const std::string& output) {
  if (dropout.share == 0) return x;
  return graph.add_step(output, std::move(part), std::make_shared<const Dropout>(dropout.share),
                        {x}, output, dropout.module);
}

}  // namespace attnscope
