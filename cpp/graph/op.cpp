#include "op.h"

#include <stdexcept>

namespace attnscope {

Array make_array(const std::vector<size_t>& shape) { return Array::from_shape(shape); }

void wrong_graph(const char* pattern, std::initializer_list<Piece> pieces) {
  throw std::logic_error(format(pattern, pieces, true));
}

void Op::gradients(GradientBuilder&) const { wrong_graph("{} has no gradient", {name()}); }

}  // namespace attnscope
