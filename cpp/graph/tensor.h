#pragma once

// What a tensor of a graph is: a name, a shape, a role. It holds no numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "count.h"

namespace attnscope {

/// What a dimension goes over.
enum class Axis : uint8_t {
  kNone,  // nothing that has a name, as the 2 of cosines and sines
  kBatch,
  kPosition,  // of a sequence
  kQuery,     // positions that attend
  kKey,       // positions that are attended to
  kHead,
  kKvHead,  // heads of keys and values, fewer than those of queries
  kHeadFeature,
  kHidden,   // features of a position in the layer's width
  kFeature,  // features of any other width
  kVocabulary,
  kClass,
  kLayer,  // of a stack
};

inline constexpr size_t kAxes = 13;

/// "query"; empty for kNone.
std::string_view name_of(Axis axis);

/// Positions, be they queries, keys or neither.
bool is_position(Axis axis);

/// A size and what it goes over. Compares as a number; fits() looks at both.
struct Dimension {
  int64_t size = 0;
  Axis axis = Axis::kNone;

  Dimension(int64_t length, Axis over = Axis::kNone) : size(length), axis(over) {}
  operator int64_t() const { return size; }
};

/// Whether numbers along one may meet those along the other: as many, and of one kind. A query and
/// a key are positions; hidden, head features, words and classes are features; no name fits any.
bool fits(const Dimension& a, const Dimension& b);

using Shape = std::vector<Dimension>;  // row-major, last dimension fastest

/// Whether all their dimensions fit.
bool fit(const Shape& a, const Shape& b);

/// A dimension over positions as one over queries, or keys; any other as it is.
Dimension as_query(const Dimension& positions);
Dimension as_key(const Dimension& positions);

using TensorId = int;  // index into Graph::tensors()

inline constexpr TensorId kNoTensor = -1;

/// A bool for each tensor, step or result. std::vector<bool>, which packs bits, would make each
/// module 3 kB larger.
using Flags = std::vector<char>;

/// Of a parameter: its place in its set (graph/parameters.h), in the order of declaration. In an
/// unrolled graph, its flat number.
using ParameterId = int;

inline constexpr ParameterId kNoParameter = -1;

/// Number of elements of a tensor of this shape.
inline Count elements(const Shape& shape) {
  Count result = 1;
  for (const Dimension& dimension : shape) result = product({result, dimension.size});
  return result;
}

/// "(32, 128, 1)", as PyTorch prints it; `named`: "(32 batch, 128 position, 1)".
std::string to_string(const Shape& shape, bool named = false);

enum class Role {
  kInput,          // given by the caller
  kOptionalInput,  // a mask, say: the layer also runs without it, and estimates leave it out
  kParameter,      // learned
  kActivation,     // made by a step
  kState,          // given by what trains the layer: an optimizer's moments, noise
};

struct Tensor {
  std::string name{};  // of a parameter empty: Graph::name_of() asks its set
  Shape shape;
  Role role = Role::kActivation;
  TensorId storage = kNoTensor;  // whose memory it uses in inference (graph/storage.h): its own id,
                                 // or of a view the viewed tensor
  int64_t offset = 0;       // views of parameters and inputs: elements from the storage's start
  int64_t limit = 0;        // above 0: holds integers from 0 to limit - 1, as token ids
  bool only_hides = false;  // of a mask: it holds 0 and -inf alone
  ParameterId parameter = kNoParameter;  // of a parameter, or of rows of it
  std::optional<int64_t> ignored{};  // an integer beside these: that of labels that do not count
};

}  // namespace attnscope
