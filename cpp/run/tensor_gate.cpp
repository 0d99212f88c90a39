#include "tensor_gate.h"

#include <cmath>
#include <limits>

namespace attnscope {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what, const std::string& rule,
                         const std::string& got) {
  throw FieldError(name, name + what + " must " + rule + ", got " + got);
}

std::string shape_text(const std::vector<RawValue>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

bool same_shape(const Shape& expected, const std::vector<RawValue>& shape) {
  if (shape.size() != expected.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const double* dimension = std::get_if<double>(&shape[i].value);
    if (!dimension || *dimension != static_cast<double>(expected[i])) return false;
  }
  return true;
}

std::string kind_text(const RawTensor& raw) {
  if (raw.kind == RawTensor::Kind::kFloats) return "a Float32Array";
  if (raw.kind == RawTensor::Kind::kBytes) return "a Uint8Array";
  return raw.kind_text;
}

}  // namespace

TensorId find_input(const Graph& graph, const std::string& name) {
  std::vector<std::string_view> known;
  for (size_t id = 0; id < graph.tensors().size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role != Role::kInput && tensor.role != Role::kOptionalInput) continue;
    if (tensor.name == name) return static_cast<TensorId>(id);
    known.push_back(tensor.name);
  }
  throw unknown_name("forward", "input", name, known);
}

void check_tensor(const Tensor& expected, const RawTensor& raw) {
  const bool mask = expected.role == Role::kOptionalInput;
  const bool fits =
      raw.kind == RawTensor::Kind::kFloats || (mask && raw.kind == RawTensor::Kind::kBytes);
  if (!fits) {
    refuse(expected.name, ".data",
           mask ? "be a Uint8Array (1 = may attend) or a Float32Array (added to the scores)"
                : "be a Float32Array",
           kind_text(raw));
  }
  if (!same_shape(expected.shape, raw.shape)) {
    refuse(expected.name, ".shape", "be " + to_string(expected.shape), shape_text(raw.shape));
  }
  const Count count = elements(expected.shape);
  if (raw.length != static_cast<double>(count)) {
    refuse(expected.name, ".data", "have " + to_string(count) + " elements",
           to_string(RawValue{raw.length}));
  }
}

void check_all_given(const Graph& graph, const std::vector<bool>& given) {
  for (size_t id = 0; id < given.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role != Role::kInput || given[id]) continue;
    throw FieldError(tensor.name,
                     tensor.name + " is missing; it must have shape " + to_string(tensor.shape));
  }
}

void mask_from_bytes(const std::string& name, const std::vector<uint8_t>& bytes, float* mask) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > 1) {
      refuse(name, ".data", "hold only 0 and 1",
             std::to_string(bytes[i]) + " at index " + std::to_string(i));
    }
    mask[i] = bytes[i] ? 0.0f : -std::numeric_limits<float>::infinity();
  }
}

void check_float_mask(const std::string& name, const float* mask, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (mask[i] < INFINITY) continue;
    refuse(name, ".data", "hold neither NaN nor Infinity",
           to_string(RawValue{static_cast<double>(mask[i])}) + " at index " + std::to_string(i));
  }
}

}  // namespace attnscope
