#include "tensor_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "../ops/broadcast.h"

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

std::string kind_text(const RawTensor& raw) {
  if (raw.kind == RawTensor::Kind::kFloats) return "a Float32Array";
  if (raw.kind == RawTensor::Kind::kBytes) return "a Uint8Array";
  if (raw.kind == RawTensor::Kind::kIntegers) return "an Int32Array";
  return raw.kind_text;
}

/// What the data of a tensor may be, in words, and whether `kind` is one of it.
std::pair<std::string, bool> kind_rule(const Tensor& expected, RawTensor::Kind kind) {
  const bool floats = kind == RawTensor::Kind::kFloats || kind == RawTensor::Kind::kHalves;
  if (expected.limit > 0) return {"be an Int32Array", kind == RawTensor::Kind::kIntegers};
  if (expected.role != Role::kOptionalInput) return {"be a Float32Array", floats};
  return {expected.only_hides
              ? "be a Uint8Array (1 = keep) or a Float32Array (0 = keep, -10000 and below = hide)"
              : "be a Uint8Array (1 = may attend) or a Float32Array (added to the scores)",
          floats || kind == RawTensor::Kind::kBytes};
}

}  // namespace

std::optional<Shape> integer_shape(const std::vector<RawValue>& raw) {
  Shape shape;
  for (const RawValue& one : raw) {
    const double* dimension = std::get_if<double>(&one.value);
    if (!dimension || *dimension != std::floor(*dimension) || *dimension < 1 ||
        *dimension > 0x1p31) {
      return {};
    }
    shape.emplace_back(static_cast<int64_t>(*dimension));
  }
  return shape;
}

std::vector<TensorId> inputs_of(const Graph& graph, bool cached) {
  std::vector<TensorId> inputs = graph.inputs();
  if (cached) std::erase_if(inputs, [&](TensorId id) { return graph.is_cached(id); });
  return inputs;
}

TensorId find_input(std::string_view owner, const Graph& graph, const std::vector<TensorId>& inputs,
                    const std::string& name) {
  std::vector<std::string_view> known;
  for (const TensorId id : inputs) {
    if (graph.tensor(id).name == name) return id;
    known.push_back(graph.tensor(id).name);
  }
  if (name == "position_ids") {
    throw FieldError(name,
                     format("{} has no input \"position_ids\": positions count from the start of "
                            "each sequence, so padding goes to its end; its inputs are {}",
                            {owner, join(known)}));
  }
  throw unknown_name(owner, "input", name, known);
}

Shape check_tensor(const Tensor& expected, const RawTensor& raw) {
  const auto [rule, fits] = kind_rule(expected, raw.kind);
  if (!fits) refuse(expected.name, ".data", rule, kind_text(raw));
  const std::optional<Shape> shape = integer_shape(raw.shape);
  const bool mask = expected.role == Role::kOptionalInput;
  if (!shape || (mask ? !broadcasts_to(*shape, expected.shape) : *shape != expected.shape)) {
    refuse(expected.name, ".shape", (mask ? "broadcast to " : "be ") + to_string(expected.shape),
           shape_text(raw.shape));
  }
  const Count count = elements(*shape);
  if (raw.length != static_cast<double>(count)) {
    refuse(expected.name, ".data", "have " + to_string(count) + " elements",
           to_string(RawValue{raw.length}));
  }
  return *shape;
}

int64_t positions_of(const Tensor& expected, const RawTensor& raw) {
  const std::optional<Shape> shape = integer_shape(raw.shape);
  const auto positions = std::find_if(expected.shape.begin(), expected.shape.end(),
                                      [](const Dimension& one) { return is_position(one.axis); });
  if (shape && shape->size() == expected.shape.size() && positions != expected.shape.end()) {
    return (*shape)[static_cast<size_t>(positions - expected.shape.begin())];
  }
  refuse(expected.name, ".shape",
         "be like " + to_string(expected.shape) + " with any number of positions",
         shape_text(raw.shape));
}

void check_all_given(const Graph& graph, const std::vector<TensorId>& inputs, const Flags& given) {
  for (const TensorId id : inputs) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role != Role::kInput || given[static_cast<size_t>(id)]) continue;
    throw FieldError(tensor.name,
                     tensor.name + " is missing; it must have shape " + to_string(tensor.shape));
  }
}

void check_integers(const Tensor& expected, const std::vector<int32_t>& ids, float* values) {
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool counts = ids[i] >= 0 && ids[i] < expected.limit;
    if (!counts && ids[i] != expected.ignored) {
      std::string rule = "hold integers from 0 to " + std::to_string(expected.limit - 1);
      if (expected.ignored) rule += ", or " + std::to_string(*expected.ignored) + " to be ignored";
      refuse(expected.name, ".data", rule,
             std::to_string(ids[i]) + " at index " + std::to_string(i));
    }
    values[i] = static_cast<float>(ids[i]);
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

void check_finite(const std::string& name, const float* values, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (std::isfinite(values[i])) continue;
    refuse(name, ".data", "hold finite numbers to train",
           to_string(RawValue{static_cast<double>(values[i])}) + " at index " + std::to_string(i));
  }
}

void check_float_mask(const std::string& name, const float* mask, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (mask[i] < INFINITY) continue;
    refuse(name, ".data", "hold neither NaN nor Infinity",
           to_string(RawValue{static_cast<double>(mask[i])}) + " at index " + std::to_string(i));
  }
}

void hide_by_floats(const std::string& name, float* mask, size_t length) {
  constexpr float kHides = -1e4f, kHidesInBfloat16 = -9984.0f;
  for (size_t i = 0; i < length; ++i) {
    if (mask[i] == 0.0f) continue;
    if (!(mask[i] <= kHides || mask[i] == kHidesInBfloat16)) {
      refuse(name, ".data",
             "hold 0 to keep or at most -10000 to hide, as this mask can do nothing else",
             to_string(RawValue{static_cast<double>(mask[i])}) + " at index " + std::to_string(i));
    }
    mask[i] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace attnscope
