#include "gradients.h"

namespace attnscope {

TensorId GradientBuilder::add(const OpPtr& op, Ids inputs) {
  std::string name = format("{}.grad", {step_.name});
  if (added_++ > 0) name += format(".{}", {added_});
  return graph_.add_step(name, "backward", op, inputs, name, -1, step_.output);
}

}  // namespace attnscope
