#include "storage.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../kernels/gemm.h"
#include "../kernels/half.h"
#include "../kernels/quantized.h"

namespace attnscope {
namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16; }

kernels::HalfFormat half_format(Dtype dtype) {
  return dtype == Dtype::kFloat16 ? kernels::HalfFormat::kFloat16 : kernels::HalfFormat::kBfloat16;
}

/// Calls work(first, terms) for each part of k terms that an int8 product sums by itself.
template <class Work>
void each_part(int64_t k, Work work) {
  for (int64_t first = 0; first < k; first += kernels::kQuantizedDepth) {
    work(first, std::min(kernels::kQuantizedDepth, k - first));
  }
}

/// Numbers of the format's own type that a packed matrix takes.
Count packed_numbers(int64_t n, int64_t k, Dtype storage) {
  if (is_half(storage)) return kernels::half_size(n, k);
  if (storage != Dtype::kInt8) return kernels::packed_size(n, k);
  Count words = 0;
  each_part(k, [&](int64_t, int64_t terms) { words += kernels::quantized_size(n, terms); });
  return words;
}

}  // namespace

PackedMatrix::PackedMatrix(int64_t n, int64_t k, Dtype storage)
    : n_(n),
      k_(k),
      storage_(storage),
      data_(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(bytes(n, k, storage)))) {}

Count PackedMatrix::bytes(int64_t n, int64_t k, Dtype storage) {
  return product({packed_numbers(n, k, storage), is_half(storage) ? 2 : 4});
}

Count PackedMatrix::scratch_bytes(int64_t m, int64_t n, int64_t k, Dtype storage) {
  if (is_half(storage)) return product({4, kernels::half_scratch(n, k)});
  if (storage != Dtype::kInt8) return 0;
  Count most = 0;
  each_part(k, [&](int64_t, int64_t terms) {
    most = std::max(most, Count{kernels::quantized_scratch(m, terms)});
  });
  return product({4, most});
}

void PackedMatrix::pack(const float* weight, bool turned) {
  if (turned && storage_ != Dtype::kFloat32) {
    throw std::logic_error("turned weights are packed in float32 alone");
  }
  if (storage_ == Dtype::kFloat32) {
    const auto pack = turned ? kernels::pack_plain : kernels::pack_transposed;
    pack(weight, turned ? n_ : k_, n_, k_, numbers<float>());
  } else if (is_half(storage_)) {
    // A panel at a time: rounding all of it first would take half as much memory again.
    const kernels::HalfFormat format = half_format(storage_);
    std::vector<uint16_t> rounded(static_cast<size_t>(std::min(kernels::kPanel, n_) * k_));
    for (int64_t row = 0; row < n_; row += kernels::kPanel) {
      const int64_t rows = std::min(kernels::kPanel, n_ - row);
      kernels::to_half(weight + row * k_, rows * k_, format, rounded.data());
      kernels::pack_half(rounded.data(), k_, rows, k_, format,
                         numbers<uint16_t>() + kernels::half_size(row, k_));
    }
  } else {
    auto* to = numbers<int32_t>();
    each_part(k_, [&](int64_t first, int64_t terms) {
      kernels::pack_quantized(weight + first, k_, n_, terms, to);
      to += kernels::quantized_size(n_, terms);
    });
  }
}

void PackedMatrix::multiply(const float* a, const float* bias, float* c, int64_t m, int64_t begin,
                            int64_t end, std::byte* scratch, bool backwards) const {
  const kernels::ConstRows rows{a, k_};
  const kernels::Rows to{c + begin, n_};
  const int64_t n = end - begin;
  if (bias) bias += begin;
  if (storage_ == Dtype::kFloat32) {
    const float* panels = numbers<float>() + kernels::packed_size(begin, k_);
    kernels::gemm(rows, {panels, k_, backwards}, bias, to, m, n, k_);
  } else if (is_half(storage_)) {
    const uint16_t* panels = numbers<uint16_t>() + kernels::half_size(begin, k_);
    kernels::gemm_half(rows, {panels, k_, half_format(storage_)}, bias, to, m, n,
                       reinterpret_cast<float*>(scratch));
  } else {
    const int32_t* part = numbers<int32_t>();
    each_part(k_, [&](int64_t first, int64_t terms) {
      const kernels::ConstRows own{a + first, k_};
      const kernels::QuantizedPanels panels{part + kernels::quantized_size(begin, terms), terms};
      auto* words = reinterpret_cast<int32_t*>(scratch);
      if (first == 0) {
        kernels::gemm_quantized(own, panels, bias, to, m, n, words);
      } else {
        kernels::gemm_quantized_add(own, panels, to, m, n, words);
      }
      part += kernels::quantized_size(n_, terms);
    });
  }
}

CachedRows::CachedRows(int64_t groups, int64_t features, Dtype storage)
    : groups_(groups), features_(features), storage_(storage) {}

Dtype CachedRows::format(Dtype storage) { return is_half(storage) ? storage : Dtype::kFloat32; }

void CachedRows::append(const float* fresh, int64_t count) {
  if (first_ + kept_ + count > capacity_) make_room(kept_ + count);
  appended_ = count;
  for (int64_t group = 0; group < groups_; ++group) {
    const float* from = fresh + group * count * features_;
    std::byte* to = start_of(group) + number_bytes() * kept_ * features_;
    if (is_half(storage_)) {
      kernels::to_half(from, count * features_, half_format(storage_),
                       reinterpret_cast<uint16_t*>(to));
    } else {
      std::copy_n(from, count * features_, reinterpret_cast<float*>(to));
    }
  }
}

void CachedRows::keep(int64_t most) {
  const int64_t dropped = std::max(length() - most, int64_t{0});
  kept_ = length() - dropped;
  first_ += dropped;
  appended_ = 0;
}

kernels::StoredRows CachedRows::rows(int64_t group) const {
  if (is_half(storage_)) return kernels::HalfRows{halves_of(group), half_format(storage_)};
  return kernels::ConstRows{floats_of(group), features_};
}

void CachedRows::copy_to(float* to) const {
  const int64_t count = length() * features_;
  for (int64_t group = 0; group < groups_; ++group, to += count) {
    if (is_half(storage_)) {
      kernels::from_half(halves_of(group), count, half_format(storage_), to);
    } else {
      std::copy_n(floats_of(group), count, to);
    }
  }
}

Count CachedRows::bytes() const { return product({groups_, capacity_, features_, number_bytes()}); }

int64_t CachedRows::number_bytes() const { return is_half(storage_) ? 2 : 4; }

std::byte* CachedRows::start_of(int64_t group) const {
  return data_.get() + number_bytes() * (group * capacity_ + first_) * features_;
}

const float* CachedRows::floats_of(int64_t group) const {
  return reinterpret_cast<const float*>(start_of(group));
}

const uint16_t* CachedRows::halves_of(int64_t group) const {
  return reinterpret_cast<const uint16_t*>(start_of(group));
}

void CachedRows::make_room(int64_t length) {
  constexpr int64_t kLeastSpare = 16;
  const int64_t capacity = length + std::max(length / 4, kLeastSpare);
  const int64_t row_bytes = number_bytes() * features_;
  auto roomy = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<size_t>(groups_ * capacity * row_bytes));
  for (int64_t group = 0; group < groups_; ++group) {
    std::copy_n(start_of(group), kept_ * row_bytes, roomy.get() + group * capacity * row_bytes);
  }
  data_ = std::move(roomy);
  capacity_ = capacity;
  first_ = 0;
}

}  // namespace attnscope
