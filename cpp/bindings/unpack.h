#pragma once

// From JavaScript values to the core's raw values. Embind's own conversions check nothing in a
// release build (2.7 becomes 2, NaN becomes 0, "2" becomes 2), so every value crosses as val and
// the core's gates decide.

#include <emscripten/val.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../kernels/half.h"
#include "../layers/field.h"
#include "../run/tensor_gate.h"
#include "../run/values.h"

namespace attnscope {

/// A JavaScript string of a text in UTF-8.
emscripten::val pack_text(std::string_view text);

/// The entries of a plain object, each read once. Throws FieldError for anything else: null, an
/// array, an instance of a class or an object that inherits values from another.
std::vector<std::pair<std::string, emscripten::val>> entries_of(const std::string& name,
                                                                const emscripten::val& object);

/// The same with the values as the core's gates take them.
RawConfig unpack_object(const std::string& name, const emscripten::val& object);

/// Numbers that live in the core until JavaScript disposes of them. Nothing changes them.
struct ResidentTensor {
  std::variant<Values, std::vector<uint8_t>, std::vector<int32_t>> numbers;
  Shape shape;
};

/// What numbers of 16 bits are; nothing for floats of 32.
using HalfFormat = std::optional<kernels::HalfFormat>;

/// Floats of the caller's that are yet to be copied. They must stay as they are until then.
class LateFloats {
 public:
  LateFloats(const emscripten::val& data, HalfFormat half);

  /// Copies `count` of them, from `first` on, to `to`.
  void operator()(size_t first, size_t count, float* to) const;

 private:
  HalfFormat half_;
  emscripten::val buffer_;
  double start_;
};

/// {data, shape} as the caller gave it, or a ResidentTensor. What is nothing like that is refused
/// when it is asked for: an unknown name comes first.
class GivenTensor {
 public:
  GivenTensor(const std::string& name, const emscripten::val& tensor);

  const std::string& name() const { return name_; }

  /// Throws FieldError when it is no tensor.
  const RawTensor& raw() const;

  /// Its shape, if it is a tensor and its dimensions are integers.
  std::optional<Shape> shape() const;

  /// Whether its numbers may be copied after everything is checked: floats that no rule but the
  /// shape's is for.
  bool can_be_late(const Tensor& expected) const;

  /// Its numbers to be; `own` gets their shape. Throws FieldError unless they fit `expected`.
  LateFloats late(const Tensor& expected, Values& own) const;

  /// Its numbers as floats: where they live, or copied out to `own`. Throws FieldError unless it
  /// fits `expected`.
  const Values* values(const Tensor& expected, Values& own) const;

  /// Its integers, of any size, where `expected` takes integers. Throws FieldError unless it fits.
  std::vector<int32_t> integers(const Tensor& expected) const;

 private:
  /// As it is now, after all code of the caller's has run.
  RawTensor now() const;

  template <class T>
  std::vector<T> copy(size_t count) const;

  std::string name_;
  emscripten::val data_;
  HalfFormat half_;
  std::shared_ptr<const ResidentTensor> resident_;  // has neither data_ nor getters
  RawTensor raw_{};
  std::optional<FieldError> error_;
};

using GivenTensors = std::vector<GivenTensor>;

/// The tensors of a plain object. No code of the caller's runs after that.
GivenTensors unpack_tensors(const std::string& name, const emscripten::val& object);

/// nullptr when there is none.
const GivenTensor* find_tensor(const GivenTensors& tensors, std::string_view name);

RawValue unpack_value(const emscripten::val& value);

/// The dimensions of a shape given by the caller; each must be an integer of at least 1, and their
/// product at most `limit`.
Shape unpack_shape(const emscripten::val& shape, Count limit);

/// A tensor that lives in the core from now on, of a typed array and a shape; `dtype` is "" or what
/// 16 bits are. Throws FieldError for anything else and for more than `limit` elements.
std::shared_ptr<ResidentTensor> unpack_resident(const emscripten::val& data,
                                                const emscripten::val& shape,
                                                std::string_view dtype, Count limit);

/// A typed array: a copy, because views of the heap detach when it grows.
emscripten::val pack_data(const ResidentTensor& tensor);
emscripten::val pack_shape(const Shape& shape);

/// {data: Float32Array, shape: number[]}, copied.
emscripten::val pack_tensor(const Values& values);
/// The same with an Int32Array.
emscripten::val pack_integers(const std::vector<int32_t>& values, const Shape& shape);

}  // namespace attnscope
