#include "random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attnscope {
namespace {

constexpr int64_t kBlock = 16;  // normals that PyTorch's vector path makes together
constexpr double kTwoPi = 2.0 * std::numbers::pi;

}  // namespace

float Generator::uniform() { return static_cast<float>(engine_() & 0xFFFFFF) * 0x1p-24f; }

uint64_t Generator::bits() {
  const uint64_t high = engine_();
  return high << 32 | engine_();
}

double Generator::uniform_double() {
  return static_cast<double>(bits() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

void Generator::fill_integers(int64_t limit, int32_t* values, int64_t count) {
  constexpr int64_t kWide = int64_t{1} << 28;  // from here on PyTorch draws 64 bits for each
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t drawn = limit < kWide ? engine_() : bits();
    values[i] = static_cast<int32_t>(drawn % static_cast<uint64_t>(limit));
  }
}

void Generator::fill_uniform(float low, float high, float* values, int64_t count) {
  // One rounding: PyTorch's vector builds contract this to a fused multiply-add.
  for (int64_t i = 0; i < count; ++i) values[i] = std::fma(uniform(), high - low, low);
}

/// Box and Muller 1958, in double; the sine of each pair waits for the next call.
double Generator::normal_double() {
  if (next_normal_) {
    const double value = *next_normal_;
    next_normal_.reset();
    return value;
  }
  const double angle = kTwoPi * uniform_double();
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform_double()));
  next_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

/// Box and Muller on 16 uniforms in place: element j and j + 8 become a pair of normals. Every step
/// is rounded to float32, as in PyTorch's AVX2 code: an angle in double would leave normals 1e-6
/// from PyTorch's.
void Generator::fill_normal_block(float* values) {
  for (int64_t j = 0; j < kBlock / 2; ++j) {
    const double uniform = values[j];
    const float radius = std::sqrt(-2.0f * static_cast<float>(std::log1p(-uniform)));
    const float angle = static_cast<float>(kTwoPi) * values[j + kBlock / 2];
    values[j] = radius * std::cos(angle);
    values[j + kBlock / 2] = radius * std::sin(angle);
  }
}

void Generator::fill_normal(float* values, int64_t count, double deviation) {
  if (count < kBlock) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>(normal_double() * deviation);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) values[i] = uniform();
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) fill_normal_block(values + i);
  if (i < count) {
    float* last = values + count - kBlock;  // overlaps the block before: its values are drawn anew
    for (int64_t j = 0; j < kBlock; ++j) last[j] = uniform();
    fill_normal_block(last);
  }
  for (i = 0; deviation != 1 && i < count; ++i) values[i] *= static_cast<float>(deviation);
}

void Generator::fill_dropout_noise(double share, float* values, int64_t count) {
  if (share == 1) {  // PyTorch multiplies by 0 then, and draws nothing
    std::fill_n(values, count, 0.0f);
    return;
  }
  const double kept = 1.0 - share;
  const float each = 1.0f / static_cast<float>(kept);
  for (int64_t i = 0; i < count; ++i) values[i] = uniform_double() < kept ? each : 0.0f;
}

std::vector<int32_t> randint(int64_t high, const Shape& shape, uint64_t seed) {
  std::vector<int32_t> values(static_cast<size_t>(elements(shape)));
  Generator(seed).fill_integers(high, values.data(), static_cast<int64_t>(values.size()));
  return values;
}

Values randn(const Shape& shape, uint64_t seed) {
  Values values = make_values(shape);
  Generator(seed).fill_normal(values.data(), static_cast<int64_t>(values.size()));
  return values;
}

}  // namespace attnscope
