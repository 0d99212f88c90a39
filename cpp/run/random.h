#pragma once

// PyTorch's CPU random numbers: the same seed gives the same values.
// Source of the formulas: the behaviour of torch 2.14's CPUGeneratorImpl, held by tests/torch.

#include <cstdint>
#include <optional>
#include <vector>

#include "mersenne_twister.h"
#include "values.h"

namespace attnscope {

/// What torch.manual_seed(seed) leaves: a Mersenne Twister and, between calls, half a normal pair.
class Generator {
 public:
  /// PyTorch keeps the low 32 bits of the seed.
  explicit Generator(uint64_t seed) : engine_(static_cast<uint32_t>(seed)) {}

  /// tensor.uniform_(low, high) in float32.
  void fill_uniform(float low, float high, float* values, int64_t count);

  /// tensor.random_(0, limit); `limit` at most 2^31.
  void fill_integers(int64_t limit, int32_t* values, int64_t count);

  /// tensor.normal_(0, deviation) in float32. Values agree with PyTorch's to a few ULP of float32:
  /// its vector code has its own logarithm and cosine.
  void fill_normal(float* values, int64_t count, double deviation = 1);

  /// The noise of a dropout of this share, torch.empty(count).bernoulli_(1 - share).div_(1 -
  /// share), as builds of PyTorch without Intel's MKL draw it: one number after the other.
  void fill_dropout_noise(double share, float* values, int64_t count);

  /// Where it stands. What is left of a normal pair is forgotten.
  const MersenneTwister& engine() const { return engine_; }
  void restore(const MersenneTwister& engine) {
    engine_ = engine;
    next_normal_.reset();
  }

 private:
  float uniform();
  uint64_t bits();
  double uniform_double();
  double normal_double();
  void fill_normal_block(float* values);

  MersenneTwister engine_;
  std::optional<double> next_normal_;
};

/// What torch.manual_seed(seed); torch.randn(shape) gives.
Values randn(const Shape& shape, uint64_t seed);

/// What torch.manual_seed(seed); torch.randint(high, shape) gives; `high` at most 2^31.
std::vector<int32_t> randint(int64_t high, const Shape& shape, uint64_t seed);

}  // namespace attnscope
