#pragma once

// Number formats that estimates count bytes in.

#include <stdexcept>
#include <string>
#include <string_view>

namespace attnscope {

enum class Dtype { kFloat32, kFloat16, kBfloat16, kInt8 };

/// Bytes of one element. int8's scales (one float32 a row) are not counted.
inline int bytes_per_element(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return 4;
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      return 2;
    case Dtype::kInt8:
      return 1;
  }
  return 0;
}

/// The format of this name; std::logic_error for an unknown one (the config gate comes first).
inline Dtype dtype_from(std::string_view name) {
  if (name == "float32") return Dtype::kFloat32;
  if (name == "float16") return Dtype::kFloat16;
  if (name == "bfloat16") return Dtype::kBfloat16;
  if (name == "int8") return Dtype::kInt8;
  throw std::logic_error("unknown dtype " + std::string(name));
}

/// int8 is a format for inference: nothing is saved for a backward pass and nothing is trained.
inline bool trainable(Dtype dtype) { return dtype != Dtype::kInt8; }

}  // namespace attnscope
