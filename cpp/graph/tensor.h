#pragma once

// What a tensor of a graph is: a name, a shape, a role. It holds no numbers.

#include <cstdint>
#include <string>
#include <vector>

#include "count.h"

namespace attnscope {

using Shape = std::vector<int64_t>;  // row-major, last dimension fastest
using TensorId = int;                // index into Graph::tensors()

inline constexpr TensorId kNoTensor = -1;

/// Number of elements of a tensor of this shape.
inline Count elements(const Shape& shape) {
  Count result = 1;
  for (const int64_t dimension : shape) result = product({result, dimension});
  return result;
}

/// "(32, 128, 1)", as PyTorch prints it.
std::string to_string(const Shape& shape);

enum class Role {
  kInput,          // given by the caller
  kOptionalInput,  // a mask, say: the layer also runs without it, and estimates leave it out
  kParameter,      // learned
  kActivation,     // made by a step
};

/// How PyTorch draws a parameter's first values.
struct Init {
  enum class Kind { kZeros, kOnes, kUniform, kNormal } kind = Kind::kZeros;
  double spread = 0;  // kUniform: drawn from [-spread, spread); kNormal: the standard deviation
};

struct Tensor {
  std::string name;
  Shape shape;
  Role role = Role::kActivation;
  TensorId storage = kNoTensor;  // whose memory it uses: its own id, or of a view the viewed tensor
  int64_t offset = 0;  // views of parameters and inputs: elements from the storage's start
  int64_t limit = 0;   // above 0: holds integers from 0 to limit - 1, as token ids
};

}  // namespace attnscope
