#pragma once

// Number formats that estimates count bytes in.

#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace attnscope {

enum class Dtype { kFloat32, kFloat16, kBfloat16, kInt8 };

struct NumberFormat {
  std::string_view name;  // PyTorch's
  int bits;               // of one number
  double largest;         // finite value; of integers before their scale
  double step;            // from 1 to the next value
  bool trainable;         // nothing is saved for a backward pass, and nothing trained, of others
};

/// In the order of Dtype: IEEE 754 binary32 and binary16, the upper half of binary32, and integers
/// with one scale a row.
inline constexpr std::array<NumberFormat, 4> kNumberFormats{{
    {"float32", 32, std::numeric_limits<float>::max(), 0x1p-23, true},
    {"float16", 16, 65504, 0x1p-10, true},
    {"bfloat16", 16, 0x1.FEp127, 0x1p-7, true},
    {"int8", 8, 127, 1, false},
}};

constexpr const NumberFormat& format_of(Dtype dtype) {
  return kNumberFormats[static_cast<size_t>(dtype)];
}

/// Bytes of one element. int8's scales (one float32 a row) are not counted.
constexpr int bytes_per_element(Dtype dtype) { return format_of(dtype).bits / 8; }

/// The format of this name; std::logic_error for an unknown one (the config gate comes first).
inline Dtype dtype_from(std::string_view name) {
  for (size_t i = 0; i < kNumberFormats.size(); ++i) {
    if (kNumberFormats[i].name == name) return static_cast<Dtype>(i);
  }
  throw std::logic_error("unknown dtype " + std::string(name));
}

constexpr bool trainable(Dtype dtype) { return format_of(dtype).trainable; }

}  // namespace attnscope
