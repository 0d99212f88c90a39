#include "unpack.h"

#include <emscripten/em_js.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

// clang-format off
EM_JS_DEPS(unpack, "$Emval,$UTF8ArrayToString,malloc");

// An object literal, or one made by Object.create(null), of any realm.
EM_JS(bool, is_plain_object, (emscripten::EM_VAL handle), {
  const object = Emval.toValue(handle);
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
});

// The name of the class that an object is an instance of, or '' where it has none that can be
// printed. Reads no accessors, so that no code of the caller's runs.
EM_JS(emscripten::EM_VAL, class_name_of, (emscripten::EM_VAL handle), {
  const own = (object, key) => Object.getOwnPropertyDescriptor(object, key)?.value;
  const constructor = own(Object.getPrototypeOf(Emval.toValue(handle)), 'constructor');
  const name = typeof constructor === 'function' ? own(constructor, 'name') : "";
  const printable = typeof name === 'string' && /^[A-Za-z0-9_$]{1,60}$/.test(name);
  return Emval.toHandle(printable ? name : "");
});

// The entries of a plain object in one call, each read once; nullptr when there is no memory. A
// block that the caller frees: the number of entries; for each one the length of its key, the tag
// of its value (see Tag) and the value itself, of a string the length, of what has no place here a
// handle that the caller owns; then keys and strings as UTF-16.
EM_JS(double*, read_entries, (emscripten::EM_VAL handle), {
  const object = Emval.toValue(handle);
  const values = [];
  const numbers = [0];
  let text = "";
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;  // as if the key were absent, as in a default parameter
    values.push([key, value]);
  }
  numbers[0] = values.length;
  for (const [key, value] of values) {
    text += key;
    if (typeof value === 'boolean') numbers.push(key.length, 0, Number(value));
    else if (typeof value === 'number') numbers.push(key.length, 1, value);
    else if (typeof value === 'string') numbers.push(key.length, 2, value.length), text += value;
    else if (value === null) numbers.push(key.length, 3, 0);
    else numbers.push(key.length, 4, 0);
  }
  const block = _malloc(numbers.length * 8 + text.length * 2);
  if (!block) return 0;
  values.forEach(([, value], i) => {
    if (numbers[3 * i + 2] === 4) numbers[3 * i + 3] = Emval.toHandle(value);
  });
  HEAPF64.set(numbers, block >>> 3);
  const units = HEAPU16.subarray((block >>> 1) + numbers.length * 4);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return block;
});

EM_JS(bool, is_object, (emscripten::EM_VAL handle), {
  const value = Emval.toValue(handle);
  return typeof value === 'object' && value !== null;
});

EM_JS(bool, is_array, (emscripten::EM_VAL handle), { return Array.isArray(Emval.toValue(handle)); });

// A property as every typed array has it, whatever the caller has put in front of it; undefined for
// a tag of anything else. `property`: see TypedArrayProperty.
EM_JS(emscripten::EM_VAL, typed_array_property, (emscripten::EM_VAL handle, int property), {
  const keys = [Symbol.toStringTag, 'length', 'buffer', 'byteOffset'];
  const typedArray = Object.getPrototypeOf(Float32Array.prototype);
  return Emval.toHandle(Reflect.get(typedArray, keys[property], Emval.toValue(handle)));
});

// An array of JavaScript's own, of a view's numbers. Not by slice(): out of shared memory that takes
// twice as long.
EM_JS(emscripten::EM_VAL, copy_view, (emscripten::EM_VAL handle), {
  const view = Emval.toValue(handle);
  const copy = new view.constructor(view.length);
  copy.set(view);
  return Emval.toHandle(copy);
});

// Numbers of 32 bits, or `half` of them, from `start` of a buffer on. By a view of our own: the
// caller's array may be of a class of the caller's.
EM_JS(void, read_numbers, (emscripten::EM_VAL buffer, double start, double count, bool half, void* to), {
  const from = Emval.toValue(buffer);
  if (half) HEAPU16.set(new Uint16Array(from, start, count), to >>> 1);
  else HEAPF32.set(new Float32Array(from, start, count), to >>> 2);
});

// A string of `length` bytes of UTF-8. No decoder reads memory that threads share, and to make an
// array for each copy would take three times as long as this.
EM_JS(emscripten::EM_VAL, text_from, (const char* text, size_t length), {
  if (!(text_from.copy?.length >= length)) text_from.copy = new Uint8Array(2 * length);
  text_from.copy.set(HEAPU8.subarray(text, text + length));
  return Emval.toHandle(UTF8ArrayToString(text_from.copy, 0, length, true));
});
// clang-format on

namespace attnscope {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

bool is_object(const val& value) { return ::is_object(value.as_handle()); }
bool is_array(const val& value) { return ::is_array(value.as_handle()); }
bool is_plain(const val& value) { return is_plain_object(value.as_handle()); }

enum class TypedArrayProperty { kTag, kLength, kBuffer, kByteOffset };
val typed_array_property(const val& array, TypedArrayProperty property) {
  return val::take_ownership(::typed_array_property(array.as_handle(), static_cast<int>(property)));
}

/// "Float32Array", of any realm; "" for what is no typed array.
std::string typed_array_name(const val& value) {
  const val tag = typed_array_property(value, TypedArrayProperty::kTag);
  return tag.isUndefined() ? "" : tag.as<std::string>();
}

std::string describe_bigint(const val& value) {
  constexpr size_t kLongest = 60;
  const std::string digits = val::global("String")(value).as<std::string>();
  return digits.size() > kLongest ? digits.substr(0, kLongest) + "…n" : digits + "n";
}

/// What a value is, in words for a message.
std::string describe(const val& value) {
  const std::string type = value.typeOf().as<std::string>();
  if (type == "bigint") return describe_bigint(value);
  if (type == "undefined") return "undefined";
  if (type != "object") return "a " + type;
  if (is_array(value)) return "an array";
  if (is_plain(value)) return "an object";
  const std::string array = typed_array_name(value);
  if (!array.empty()) return (array[0] == 'I' ? "an " : "a ") + array;
  const std::string name = val::take_ownership(class_name_of(value.as_handle())).as<std::string>();
  return name.empty() ? "an object that inherits from another" : "an instance of " + name;
}

/// UTF-8 of a JavaScript string. Half of a surrogate pair becomes the three bytes that its number
/// would have, which Embind's own conversion to std::string does not reserve.
std::string text_of(std::u16string_view units) {
  std::string text;
  for (size_t i = 0; i < units.size(); ++i) {
    char32_t code = units[i];
    const bool pair = code >= 0xD800 && code < 0xDC00 && i + 1 < units.size() &&
                      units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
    if (pair) code = 0x10000 + ((code - 0xD800) << 10) + (units[++i] - 0xDC00);
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr int kLead[] = {0x00, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kLead[more] | code >> 6 * more);
    for (int shift = 6 * (more - 1); shift >= 0; shift -= 6) {
      text += static_cast<char>(0x80 | (code >> shift & 0x3F));
    }
  }
  return text;
}

}  // namespace

RawValue unpack_value(const val& value) {
  if (value.isTrue()) return {true};
  if (value.isFalse()) return {false};
  if (value.isNumber()) return {value.as<double>()};
  if (value.isString()) return {text_of(value.as<std::u16string>())};
  if (value.isNull()) return {Null()};
  return {RawValue::Other{describe(value)}};
}

namespace {

/// The elements of an array that ought to be a shape. `name` is the array's, for messages.
std::vector<RawValue> unpack_dimensions(const std::string& field, const std::string& name,
                                        const val& shape) {
  constexpr double kMost = 64;  // as in PyTorch
  if (!is_array(shape)) {
    throw FieldError(field,
                     name + " must be an array of integers, got " + to_string(unpack_value(shape)));
  }
  const RawValue rank{shape["length"].as<double>()};
  if (std::get<double>(rank.value) > kMost) {
    throw FieldError(field, name + " must have at most 64 dimensions, got " + to_string(rank));
  }
  std::vector<RawValue> dimensions;
  for (int i = 0; i < std::get<double>(rank.value); ++i) {
    dimensions.push_back(unpack_value(shape[i]));
  }
  return dimensions;
}

/// What a typed array holds.
struct Numbers {
  RawTensor::Kind kind = RawTensor::Kind::kOther;
  HalfFormat half{};
  std::string text{};  // "a Uint16Array"
};

/// The format of 16 bits, by its name; nothing for another name.
HalfFormat half_from(std::string_view dtype) {
  if (dtype == "float16") return kernels::HalfFormat::kFloat16;
  if (dtype == "bfloat16") return kernels::HalfFormat::kBfloat16;
  return {};
}

/// `name` is data's typed_array_name(); `dtype` is what the caller says of 16 bits, or "".
Numbers numbers_of(const val& data, const std::string& name, std::string_view dtype) {
  using Kind = RawTensor::Kind;
  if (name == "Float32Array") return {.kind = Kind::kFloats};
  if (name == "Uint8Array") return {.kind = Kind::kBytes};
  if (name == "Int32Array") return {.kind = Kind::kIntegers};
  const HalfFormat half = half_from(name == "Float16Array" ? "float16" : dtype);
  if (!half || (name != "Float16Array" && name != "Uint16Array")) {
    const char* hint = name == "Uint16Array" ? " without dtype float16 or bfloat16" : "";
    return {.text = to_string(unpack_value(data)) + hint};
  }
  return {.kind = Kind::kHalves, .half = half, .text = "a " + name};
}

/// What a tensor's `dtype` says of its data, a typed array of the class `array`, where it decides.
/// Throws FieldError for one that 16 bits cannot have.
std::string dtype_of(const std::string& name, const std::string& array, const val& tensor) {
  if (array != "Uint16Array" && array != "Float16Array") return "";
  const val dtype = tensor["dtype"];
  if (dtype.isUndefined()) return "";
  const RawValue raw = unpack_value(dtype);
  const std::string* text = std::get_if<std::string>(&raw.value);
  const HalfFormat half = text ? half_from(*text) : HalfFormat();
  const bool bits = array == "Uint16Array";
  if (half && (bits || half == kernels::HalfFormat::kFloat16)) return *text;
  refuse(name, "{}.dtype must be {} for a {}, got {}",
         {name, bits ? "float16 or bfloat16" : "float16", array, to_string(raw)});
}

RawTensor unpack_raw(const std::string& name, const Numbers& numbers, const val& data,
                     const val& shape) {
  RawTensor raw{numbers.kind, numbers.text, 0, {}};
  if (raw.kind == RawTensor::Kind::kOther) return raw;
  raw.length = typed_array_property(data, TypedArrayProperty::kLength).as<double>();
  raw.shape = unpack_dimensions(name, name + ".shape", shape);
  return raw;
}

RawTensor raw_of(const ResidentTensor& tensor) {
  constexpr RawTensor::Kind kKinds[] = {RawTensor::Kind::kFloats, RawTensor::Kind::kBytes,
                                        RawTensor::Kind::kIntegers};
  RawTensor raw{
      kKinds[tensor.numbers.index()], "", static_cast<double>(elements(tensor.shape)), {}};
  for (const int64_t dimension : tensor.shape) {
    raw.shape.push_back({static_cast<double>(dimension)});
  }
  return raw;
}

template <class Numbers>
val copy_of(const Numbers& numbers) {
  const val view(typed_memory_view(numbers.size(), numbers.data()));
  return val::take_ownership(copy_view(view.as_handle()));
}

/// A copy of the numbers, with their shape.
template <class Numbers>
val pack(const Numbers& numbers, const Shape& shape) {
  val tensor = val::object();
  tensor.set("data", copy_of(numbers));
  tensor.set("shape", pack_shape(shape));
  return tensor;
}

[[noreturn]] void refuse_object(const std::string& name, const val& object) {
  refuse(name, "{} must be a plain object, got {}", {name, to_string(unpack_value(object))});
}

}  // namespace

val pack_text(std::string_view text) {
  return val::take_ownership(text_from(text.data(), text.size()));
}

std::vector<std::pair<std::string, val>> entries_of(const std::string& name, const val& object) {
  if (!is_plain(object)) refuse_object(name, object);
  const val keys = val::global("Object").call<val>("keys", object);
  const int count = keys["length"].as<int>();
  std::vector<std::pair<std::string, val>> entries;
  entries.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const val key = keys[i];
    val value = object[key];
    if (value.isUndefined()) continue;  // as if the key were absent, as in a default parameter
    entries.emplace_back(text_of(key.as<std::u16string>()), std::move(value));
  }
  return entries;
}

RawConfig unpack_object(const std::string& name, const val& object) {
  enum Tag { kBoolean, kNumber, kString, kNull, kOther };
  if (!is_plain(object)) refuse_object(name, object);
  const std::unique_ptr<double, decltype(&std::free)> block(read_entries(object.as_handle()),
                                                            std::free);
  if (!block) throw std::bad_alloc();
  const double* number = block.get();
  const auto count = static_cast<size_t>(*number++);
  const auto* units = reinterpret_cast<const char16_t*>(number + 3 * count);
  const auto next_text = [&units](double length) {
    const std::u16string_view text(units, static_cast<size_t>(length));
    units += text.size();
    return text_of(text);
  };
  RawConfig raw(count);
  for (auto& [key, value] : raw) {
    key = next_text(number[0]);
    switch (static_cast<Tag>(number[1])) {
      case kBoolean:
        value.value = number[2] != 0;
        break;
      case kNumber:
        value.value = number[2];
        break;
      case kString:
        value.value = next_text(number[2]);
        break;
      case kNull:
        value.value = Null();
        break;
      case kOther: {
        const auto handle = static_cast<uintptr_t>(number[2]);
        value = unpack_value(val::take_ownership(reinterpret_cast<emscripten::EM_VAL>(handle)));
      }
    }
    number += 3;
  }
  return raw;
}

GivenTensors unpack_tensors(const std::string& name, const val& object) {
  GivenTensors tensors;
  for (const auto& [key, value] : entries_of(name, object)) tensors.emplace_back(key, value);
  return tensors;
}

const GivenTensor* find_tensor(const GivenTensors& tensors, std::string_view name) {
  for (const GivenTensor& tensor : tensors) {
    if (tensor.name() == name) return &tensor;
  }
  return nullptr;
}

LateFloats::LateFloats(const val& data, HalfFormat half)
    : half_(half),
      buffer_(typed_array_property(data, TypedArrayProperty::kBuffer)),
      start_(typed_array_property(data, TypedArrayProperty::kByteOffset).as<double>()) {}

void LateFloats::operator()(size_t first, size_t count, float* to) const {
  const auto copy = [&](size_t from, size_t length, auto* numbers) {
    read_numbers(buffer_.as_handle(), start_ + static_cast<double>(from * sizeof(*numbers)),
                 static_cast<double>(length), half_.has_value(), numbers);
  };
  if (!half_) return copy(first, count, to);
  constexpr size_t kMost = size_t{1} << 16;  // they stay in the cache until they are widened
  std::vector<uint16_t> bits(std::min(count, kMost));
  for (size_t done = 0; done < count; done += kMost) {
    const size_t length = std::min(kMost, count - done);
    copy(first + done, length, bits.data());
    kernels::from_half(bits.data(), static_cast<int64_t>(length), *half_, to + done);
  }
}

GivenTensor::GivenTensor(const std::string& name, const val& tensor) : name_(name) {
  try {
    if (is_object(tensor) && tensor.instanceof(val::module_property("ResidentTensor"))) {
      // A getter of another input may have disposed of it meanwhile.
      if (tensor.call<bool>("isDeleted")) throw FieldError(name, name + " was disposed");
      resident_ = tensor.as<std::shared_ptr<ResidentTensor>>();
      raw_ = raw_of(*resident_);
      return;
    }
    if (!is_object(tensor) || is_array(tensor) || !typed_array_name(tensor).empty()) {
      throw FieldError(
          name, name + " must be a tensor {data, shape}, got " + to_string(unpack_value(tensor)));
    }
    const val shape = tensor["shape"];  // once, as the data: a getter may change its mind
    data_ = tensor["data"];
    const std::string array = typed_array_name(data_);
    const Numbers numbers = numbers_of(data_, array, dtype_of(name, array, tensor));
    half_ = numbers.half;
    raw_ = unpack_raw(name, numbers, data_, shape);
  } catch (const FieldError& error) {
    error_ = error;
  }
}

const RawTensor& GivenTensor::raw() const {
  if (error_) throw *error_;
  return raw_;
}

std::optional<Shape> GivenTensor::shape() const {
  return error_ ? std::nullopt : integer_shape(raw_.shape);
}

template <class T>
std::vector<T> GivenTensor::copy(size_t count) const {
  if (resident_) return std::get<std::vector<T>>(resident_->numbers);
  std::vector<T> elements(count);
  val(typed_memory_view(count, elements.data())).template call<void>("set", data_);
  return elements;
}

std::vector<int32_t> GivenTensor::integers(const Tensor& expected) const {
  return copy<int32_t>(static_cast<size_t>(elements(check_tensor(expected, now()))));
}

RawTensor GivenTensor::now() const {
  RawTensor now = raw();  // a getter of another tensor may have detached or shrunk its buffer
  if (!resident_ && now.kind != RawTensor::Kind::kOther) {
    now.length = typed_array_property(data_, TypedArrayProperty::kLength).as<double>();
  }
  return now;
}

bool GivenTensor::can_be_late(const Tensor& expected) const {
  const bool floats = raw_.kind == RawTensor::Kind::kFloats || half_;
  return !error_ && !resident_ && floats && expected.role == Role::kInput && expected.limit == 0;
}

LateFloats GivenTensor::late(const Tensor& expected, Values& own) const {
  own = make_values(check_tensor(expected, now()));
  return {data_, half_};
}

const Values* GivenTensor::values(const Tensor& expected, Values& own) const {
  const RawTensor now = this->now();
  const Shape shape = check_tensor(expected, now);
  const bool resident_floats = resident_ && now.kind == RawTensor::Kind::kFloats;
  const bool in_place = resident_floats && !expected.only_hides;
  const Values* values = in_place ? &std::get<Values>(resident_->numbers) : &own;
  if (!in_place) own = make_values(shape);
  switch (now.kind) {
    case RawTensor::Kind::kBytes:
      mask_from_bytes(expected.name, copy<uint8_t>(own.size()), own.data());
      break;
    case RawTensor::Kind::kIntegers:
      check_integers(expected, copy<int32_t>(own.size()), own.data());
      break;
    default:
      if (half_) {
        LateFloats(data_, half_)(0, own.size(), own.data());
      } else if (resident_floats) {
        if (!in_place) own = std::get<Values>(resident_->numbers);
      } else {
        val(typed_memory_view(own.size(), own.data())).call<void>("set", data_);
      }
      if (expected.only_hides) {
        hide_by_floats(expected.name, own.data(), own.size());
      } else if (expected.role == Role::kOptionalInput) {
        check_float_mask(expected.name, values->data(), values->size());
      }
  }
  return values;
}

Shape unpack_shape(const val& shape, Count limit) {
  constexpr int64_t kMost = 2147483647;
  Shape result;
  Count count = 1;
  for (const RawValue& dimension : unpack_dimensions("shape", "shape", shape)) {
    const double* number = std::get_if<double>(&dimension.value);
    if (!number || *number != std::floor(*number) || *number < 1 || *number > kMost) {
      throw FieldError("shape", "shape must hold integers from 1 to " + std::to_string(kMost) +
                                    ", got " + to_string(dimension));
    }
    result.push_back(static_cast<int64_t>(*number));
    if (count <= limit) count *= result.back();  // past the limit only the next check matters
  }
  if (count > limit) {
    throw FieldError("shape", "shape must have at most " + to_string(limit) + " elements, got " +
                                  to_string(result));
  }
  return result;
}

std::shared_ptr<ResidentTensor> unpack_resident(const val& data, const val& shape,
                                                std::string_view dtype, Count limit) {
  const Numbers given = numbers_of(data, typed_array_name(data), dtype);
  if (given.kind == RawTensor::Kind::kOther) {
    throw FieldError(
        "data", "data must be a Float32Array, a Uint8Array or an Int32Array, got " + given.text);
  }
  if (!dtype.empty() && half_from(dtype) != given.half) {
    refuse("dtype", "dtype must be left out for {}, got {}",
           {to_string(unpack_value(data)), quote(dtype)});
  }
  ResidentTensor tensor{{}, unpack_shape(shape, limit)};
  const Count count = elements(tensor.shape);
  const double length = typed_array_property(data, TypedArrayProperty::kLength).as<double>();
  if (length != static_cast<double>(count)) {
    throw FieldError("data", "data must have " + to_string(count) + " elements, got " +
                                 to_string(RawValue{length}));
  }
  const size_t size = static_cast<size_t>(length);
  const auto copied = [&](auto numbers) {
    val(typed_memory_view(size, numbers.data())).template call<void>("set", data);
    return numbers;
  };
  switch (given.kind) {
    case RawTensor::Kind::kBytes:
      tensor.numbers = copied(std::vector<uint8_t>(size));
      break;
    case RawTensor::Kind::kIntegers:
      tensor.numbers = copied(std::vector<int32_t>(size));
      break;
    default: {
      Values floats = make_values(tensor.shape);
      LateFloats(data, given.half)(0, size, floats.data());
      tensor.numbers = std::move(floats);
    }
  }
  return std::make_shared<ResidentTensor>(std::move(tensor));
}

val pack_data(const ResidentTensor& tensor) {
  return std::visit([](const auto& numbers) { return copy_of(numbers); }, tensor.numbers);
}

val pack_shape(const Shape& shape) {
  val dimensions = val::array();
  for (size_t i = 0; i < shape.size(); ++i) dimensions.set(i, static_cast<double>(shape[i]));
  return dimensions;
}

val pack_tensor(const Values& values) { return pack(values, shape_of(values)); }

val pack_integers(const std::vector<int32_t>& values, const Shape& shape) {
  return pack(values, shape);
}

}  // namespace attnscope
