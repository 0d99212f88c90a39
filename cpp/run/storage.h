#pragma once

// What a model keeps in its storage format: the weights of linear layers, as the kernels read them,
// and the KV cache.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../graph/dtype.h"
#include "../kernels/attention.h"
#include "values.h"

namespace attnscope {

/// Room for a weight (n, k) as products read it: float32, rounded to 16 bits and widened in the
/// kernel, or quantized to int8, for products with rows that are quantized when they are
/// multiplied. In int8 a product of more terms than its sums can hold is made in parts, each of
/// which has scales of its own.
class PackedMatrix {
 public:
  PackedMatrix(int64_t n, int64_t k, Dtype storage);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }

  /// What one takes.
  static Count bytes(int64_t n, int64_t k, Dtype storage);
  Count bytes() const { return bytes(n_, k_, storage_); }

  /// What multiply() needs beside its arguments, of up to m rows.
  static Count scratch_bytes(int64_t m, int64_t n, int64_t k, Dtype storage);

  /// Takes over the values of a weight, also in place of others; `turned`: they lie as (k, n), and
  /// the format is float32.
  void pack(const float* weight, bool turned = false);

  /// The columns [begin, end) of c = a weightᵀ + bias; kernels::kPanel must divide `begin`.
  ///
  ///   a        (m, k)
  ///   bias     (n,) or nullptr
  ///   c        (m, n)
  ///   scratch  scratch_bytes(m, n, k, storage)
  ///
  /// `backwards`: as kernels::Panels has it, where the format is float32.
  void multiply(const float* a, const float* bias, float* c, int64_t m, int64_t begin, int64_t end,
                std::byte* scratch, bool backwards = false) const;

 private:
  /// The numbers as the format has them: floats, 16 bits, or words of int8.
  template <class Number>
  Number* numbers() const {
    return reinterpret_cast<Number*>(data_.get());
  }

  int64_t n_, k_;
  Dtype storage_;
  std::unique_ptr<std::byte[]> data_;
};

/// A tensor of the KV cache, (groups, positions, features), in 16 bits where the storage format has
/// them, else in float32. It keeps room for more positions, so that appending moves nothing else.
class CachedRows {
 public:
  CachedRows(int64_t groups, int64_t features, Dtype storage);

  /// The format in which a model of this storage format keeps its cache: float32 for int8.
  static Dtype format(Dtype storage);

  /// Appends `count` positions, (groups, count, features), to those that are kept. They replace
  /// what was appended since the last keep(), by a run that was stopped, say.
  void append(const float* fresh, int64_t count);

  /// Keeps what was appended, and of all positions the last `most`.
  void keep(int64_t most);

  /// The positions of one group, with those that have been appended.
  kernels::StoredRows rows(int64_t group) const;

  /// (groups, positions, features), as float32.
  void copy_to(float* to) const;

  /// Bytes that it takes, with the room for more positions.
  Count bytes() const;

 private:
  int64_t number_bytes() const;
  /// Where a group's numbers begin.
  std::byte* start_of(int64_t group) const;
  /// The same where they are floats, and where they have 16 bits.
  const float* floats_of(int64_t group) const;
  const uint16_t* halves_of(int64_t group) const;

  int64_t length() const { return kept_ + appended_; }
  /// Moves what is kept to memory with room for `length` positions and some more.
  void make_room(int64_t length);

  int64_t groups_, features_;
  Dtype storage_;
  std::unique_ptr<std::byte[]> data_;
  int64_t capacity_ = 0;                         // positions
  int64_t first_ = 0, kept_ = 0, appended_ = 0;  // positions
};

}  // namespace attnscope
