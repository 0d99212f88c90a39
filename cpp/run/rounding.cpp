#include "rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace attnscope {
namespace {

float round_bfloat16(float value) {
  if (std::isnan(value)) return value;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t half = 0x7FFF + (bits >> 16 & 1);  // ties to even
  return std::bit_cast<float>((bits + half) & 0xFFFF0000u);
}

/// IEEE 754 binary16: 11 significant bits, exponents -14 to 15, subnormals below.
float round_float16(float value) {
  constexpr float kOverflow = 65520.0f;  // halfway between 65504 and the next power of two
  const float magnitude = std::abs(value);
  if (!(magnitude < INFINITY)) return value;
  if (magnitude >= kOverflow) return std::copysign(INFINITY, value);
  int exponent;
  std::frexp(magnitude, &exponent);
  const float step = std::ldexp(1.0f, std::max(exponent, -13) - 11);
  return std::nearbyint(value / step) * step;
}

void round_row_int8(float* row, size_t length) {
  float largest = 0.0f;
  for (size_t i = 0; i < length; ++i) largest = std::max(largest, std::abs(row[i]));
  if (largest <= 0.0f || !std::isfinite(largest)) return;
  const float step = largest / 127.0f;
  if (step == 0.0f) return;  // a row so small that float32 has no such step
  for (size_t i = 0; i < length; ++i) row[i] = std::nearbyint(row[i] / step) * step;
}

}  // namespace

void round_to(Dtype dtype, Values& values) {
  switch (dtype) {
    case Dtype::kFloat32:
      return;
    case Dtype::kFloat16:
      std::transform(values.begin(), values.end(), values.begin(), round_float16);
      return;
    case Dtype::kBfloat16:
      std::transform(values.begin(), values.end(), values.begin(), round_bfloat16);
      return;
    case Dtype::kInt8: {
      const size_t length = values.shape().back();
      for (size_t start = 0; start < values.size(); start += length) {
        round_row_int8(values.data() + start, length);
      }
      return;
    }
  }
}

RoundingError rounding_error(const Values& actual, const Values& expected) {
  RoundingError error;
  double difference_squares = 0, expected_squares = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double exact = expected.data()[i], difference = actual.data()[i] - exact;
    error.max_absolute = std::max(error.max_absolute, std::abs(difference));
    difference_squares += difference * difference;
    expected_squares += exact * exact;
  }
  if (difference_squares > 0) error.relative = std::sqrt(difference_squares / expected_squares);
  return error;
}

}  // namespace attnscope
