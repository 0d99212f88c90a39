#pragma once

// The gate for tensors, as layers/field.h is for configs: what comes from outside is checked here.

#include <optional>
#include <string>
#include <vector>

#include "../graph/graph.h"
#include "../layers/field.h"

namespace attnscope {

/// A tensor as it came from outside, before any check; its numbers stay where they are.
struct RawTensor {
  // Float32Array, float16 or bfloat16 in 16 bits, Uint8Array, Int32Array, anything else
  enum class Kind { kFloats, kHalves, kBytes, kIntegers, kOther } kind;
  std::string kind_text;  // of 16 bits and anything else: "a Float64Array"
  double length;          // elements of the data
  std::vector<RawValue> shape;
};

/// The shape as integers, or nothing when it is none.
std::optional<Shape> integer_shape(const std::vector<RawValue>& raw);

/// The inputs that forward() takes; without those that the KV cache gives, where `cached`.
std::vector<TensorId> inputs_of(const Graph& graph, bool cached = false);

/// The one of `inputs` called `name`, for the function `owner`. Throws FieldError that names the
/// nearest one, or says of position_ids, which transformers' models take, that there are none.
TensorId find_input(std::string_view owner, const Graph& graph, const std::vector<TensorId>& inputs,
                    const std::string& name);

/// Throws FieldError unless `raw` has the kind and shape of `expected`, and returns its shape. Only
/// masks (optional inputs) may be bytes, and their shape may be any that broadcasts.
Shape check_tensor(const Tensor& expected, const RawTensor& raw);

/// How many positions `raw` has, along the dimension that goes over them in `expected`. Throws
/// FieldError where it has none.
int64_t positions_of(const Tensor& expected, const RawTensor& raw);

/// Throws FieldError for the first required input for which `given` (by TensorId) is false.
void check_all_given(const Graph& graph, const std::vector<TensorId>& inputs, const Flags& given);

/// A boolean mask (1 = may attend) as the float mask that is added to scores: 0 or -inf.
/// Throws FieldError for any other byte.
void mask_from_bytes(const std::string& name, const std::vector<uint8_t>& bytes, float* mask);

/// Throws FieldError for an id that is not below the tensor's limit.
void check_integers(const Tensor& expected, const std::vector<int32_t>& ids, float* values);

/// Throws FieldError for NaN and infinities, from which nothing learns.
void check_finite(const std::string& name, const float* values, size_t length);

/// Throws FieldError for NaN and +inf, which no softmax survives.
void check_float_mask(const std::string& name, const float* mask, size_t length);

/// A float mask that can only hide (Tensor::only_hides): 0 stays, and -1e4 and below become -inf.
/// Other code writes -1e4, -1e9 and the lowest number of a format for -inf; -9984 is the bfloat16
/// of -1e4. Throws FieldError for any other number.
void hide_by_floats(const std::string& name, float* mask, size_t length);

}  // namespace attnscope
