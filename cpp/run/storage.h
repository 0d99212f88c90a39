#pragma once

// What a model keeps in its storage format: the weights of linear layers, as the kernels read them,
// and the KV cache.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "../graph/dtype.h"
#include "values.h"

namespace attnscope {

/// A weight (n, k), packed once: float32, rounded to 16 bits and widened in the kernel, or
/// quantized to int8, for products with rows that are quantized as they come.
class PackedMatrix {
 public:
  PackedMatrix(const float* weight, int64_t n, int64_t k, Dtype storage);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }

  /// The columns [begin, end) of c = a weightᵀ + bias; kernels::kPanel must divide `begin`.
  ///
  ///   a     (m, k)
  ///   bias  (n,) or nullptr
  ///   c     (m, n)
  void multiply(const float* a, const float* bias, float* c, int64_t m, int64_t begin,
                int64_t end) const;

 private:
  using Floats = std::vector<float>;
  using Halves = std::vector<uint16_t>;
  using Words = std::vector<int32_t>;  // of int8

  int64_t n_, k_;
  Dtype storage_;
  std::variant<Floats, Halves, Words> data_;
};

/// The packed weights of a model by the parameter's name: each is packed once, for all programs
/// that use it.
class PackedWeights {
 public:
  using Packed = std::shared_ptr<const PackedMatrix>;

  explicit PackedWeights(Dtype storage) : storage_(storage) {}

  /// The parameter `name`, whose values are at `weight` (n, k), packed the first time or now.
  Packed get(const std::string& name, const float* weight, int64_t n, int64_t k);

 private:
  Dtype storage_;
  std::map<std::string, Packed> packed_;
};

/// Values at rest: in 16 bits where the format has them, else as they are.
class StoredValues {
 public:
  StoredValues(Values values, Dtype storage);

  /// As float32: where they are, or widened into `own`.
  const Values& widened(Values& own) const;

 private:
  struct Halves {
    std::vector<uint16_t> data;
    Shape shape;
    Dtype format;
  };
  std::variant<Values, Halves> data_;
};

}  // namespace attnscope
