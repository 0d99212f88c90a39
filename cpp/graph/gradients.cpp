#include "gradients.h"

namespace attnscope {

TensorId GradientBuilder::add(const OpPtr& op, Ids inputs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < op->outputs(); ++i) {
    std::string& name = names.emplace_back(format("{}.grad", {step_.name}));
    if (made_++ > 0) name += format(".{}", {made_});
  }
  return graph_.add_step(names.front(), "backward", op, inputs, names, -1, step_.output);
}

}  // namespace attnscope
