#include "unpack.h"

#include <cmath>
#include <vector>

namespace attnscope {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

bool is_object(const val& value) {
  return value.typeOf().as<std::string>() == "object" && !value.isNull();
}

bool is_array(const val& value) { return val::global("Array").call<bool>("isArray", value); }

/// What a value is, in words for a message.
std::string describe(const val& value) {
  const std::string type = value.typeOf().as<std::string>();
  if (type == "bigint") return val::global("String").operator()(value).as<std::string>() + "n";
  if (value.isNull()) return "null";
  if (type == "undefined") return "undefined";
  if (type != "object") return "a " + type;
  if (is_array(value)) return "an array";
  if (val::global("ArrayBuffer").call<bool>("isView", value)) {
    return "a " + value["constructor"]["name"].as<std::string>();
  }
  return "an object";
}

RawValue unpack_value(const val& value) {
  if (value.isTrue()) return {true};
  if (value.isFalse()) return {false};
  if (value.isNumber()) return {value.as<double>()};
  if (value.isString()) return {value.as<std::string>()};
  return {RawValue::Other{describe(value)}};
}

/// An object literal, or one made by Object.create(null), of any realm.
bool is_plain(const val& object) {
  if (!is_object(object) || is_array(object)) return false;
  const val prototype = val::global("Object").call<val>("getPrototypeOf", object);
  if (prototype.isNull()) return true;
  return val::global("Object").call<val>("getPrototypeOf", prototype).isNull() &&
         prototype.call<bool>("hasOwnProperty", std::string("hasOwnProperty"));
}

RawTensor unpack_raw(const std::string& name, const val& tensor) {
  const bool fits = is_object(tensor) && is_array(tensor["shape"]);
  if (!fits) {
    throw FieldError(
        name, name + " must be a tensor {data, shape}, got " + to_string(unpack_value(tensor)));
  }
  const val data = tensor["data"];
  RawTensor raw{RawTensor::Kind::kOther, "", 0, {}};
  if (data.instanceof(val::global("Float32Array"))) {
    raw.kind = RawTensor::Kind::kFloats;
  } else if (data.instanceof(val::global("Uint8Array"))) {
    raw.kind = RawTensor::Kind::kBytes;
  } else {
    raw.kind_text = to_string(unpack_value(data));
    return raw;
  }
  raw.length = data["length"].as<double>();
  const val shape = tensor["shape"];
  const int rank = shape["length"].as<int>();
  for (int i = 0; i < rank; ++i) raw.shape.push_back(unpack_value(shape[i]));
  return raw;
}

}  // namespace

RawConfig unpack_object(const std::string& name, const val& object) {
  if (!is_plain(object)) {
    throw FieldError(name,
                     name + " must be a plain object, got " + to_string(unpack_value(object)));
  }
  const val keys = val::global("Object").call<val>("keys", object);
  const int count = keys["length"].as<int>();
  RawConfig raw;
  raw.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const val key = keys[i];
    const val value = object[key];
    if (value.isUndefined()) continue;  // as if the key were absent, as in a default parameter
    raw.emplace_back(key.as<std::string>(), unpack_value(value));
  }
  return raw;
}

Values unpack_tensor(const Tensor& expected, const val& tensor) {
  const RawTensor raw = unpack_raw(expected.name, tensor);
  check_tensor(expected, raw);
  Values values = make_values(expected.shape);
  const val data = tensor["data"];
  if (raw.kind == RawTensor::Kind::kFloats) {
    val(typed_memory_view(values.size(), values.data())).call<void>("set", data);
    if (expected.role == Role::kOptionalInput) {
      check_float_mask(expected.name, values.data(), values.size());
    }
    return values;
  }
  std::vector<uint8_t> bytes(values.size());
  val(typed_memory_view(bytes.size(), bytes.data())).call<void>("set", data);
  mask_from_bytes(expected.name, bytes, values.data());
  return values;
}

Shape unpack_shape(const val& shape, Count limit) {
  if (!is_array(shape))
    throw FieldError("shape",
                     "shape must be an array of integers, got " + to_string(unpack_value(shape)));
  const int rank = shape["length"].as<int>();
  Shape result;
  Count count = 1;
  for (int i = 0; i < rank; ++i) {
    const RawValue dimension = unpack_value(shape[i]);
    const double* number = std::get_if<double>(&dimension.value);
    if (!number || *number != std::floor(*number) || *number < 1 || *number > 2147483647.0) {
      throw FieldError("shape",
                       "shape must hold integers of at least 1, got " + to_string(dimension));
    }
    result.push_back(static_cast<int64_t>(*number));
    count = product({count, result.back()});
  }
  if (count > limit) {
    throw FieldError("shape", "shape must have at most " + to_string(limit) + " elements, got " +
                                  to_string(count));
  }
  return result;
}

val pack_tensor(const Values& values) {
  val tensor = val::object();
  tensor.set("data", val(typed_memory_view(values.size(), values.data())).call<val>("slice"));
  val shape = val::array();
  for (size_t i = 0; i < values.dimension(); ++i)
    shape.set(i, static_cast<double>(values.shape(i)));
  tensor.set("shape", shape);
  return tensor;
}

}  // namespace attnscope
