#include "op.h"

#include <stdexcept>

namespace attnscope {

Array make_array(const std::vector<size_t>& shape) { return Array::from_shape(shape); }

void wrong_graph(const char* pattern, std::initializer_list<Piece> pieces) {
  throw std::logic_error(format(pattern, pieces, true));
}

void Op::gradients(GradientBuilder&) const { wrong_graph("{} has no gradient", {name()}); }

std::vector<Array> SingleOp::forward_all(const std::vector<const Array*>& inputs) const {
  std::vector<Array> outputs;
  outputs.push_back(forward(inputs));
  return outputs;
}

std::string unnamed_call(std::string_view name, const std::vector<std::string>& inputs) {
  std::string text = format("{}(", {name});
  for (size_t i = 0; i < inputs.size(); ++i) text += (i > 0 ? ", " : "") + inputs[i];
  return text + ")";
}

}  // namespace attnscope
