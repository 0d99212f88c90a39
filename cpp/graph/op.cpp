#include "op.h"

namespace attnscope {

Array make_array(const std::vector<size_t>& shape) { return Array::from_shape(shape); }

}  // namespace attnscope
