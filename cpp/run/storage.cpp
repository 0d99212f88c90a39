#include "storage.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "../kernels/gemm.h"
#include "../kernels/half.h"
#include "../kernels/quantized.h"

namespace attnscope {
namespace {

bool is_half(Dtype dtype) { return dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16; }

kernels::HalfFormat half_format(Dtype dtype) {
  return dtype == Dtype::kFloat16 ? kernels::HalfFormat::kFloat16 : kernels::HalfFormat::kBfloat16;
}

template <class... Vectors>
Count bytes_of(const std::variant<Vectors...>& data) {
  return std::visit([](const auto& values) { return Count{values.size()} * sizeof(values[0]); },
                    data);
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

PackedMatrix::PackedMatrix(int64_t n, int64_t k, Dtype storage) : n_(n), k_(k), storage_(storage) {
  const auto numbers = static_cast<size_t>(packed_numbers(n, k, storage));
  if (storage == Dtype::kInt8) {
    data_ = Words(numbers);
  } else if (is_half(storage)) {
    data_ = Halves(numbers);
  } else {
    data_ = Floats(numbers);
  }
}

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

void PackedMatrix::pack(const float* weight) {
  if (Floats* floats = std::get_if<Floats>(&data_)) {
    kernels::pack_transposed(weight, k_, n_, k_, floats->data());
  } else if (Halves* halves = std::get_if<Halves>(&data_)) {
    // A panel at a time: rounding all of it first would take half as much memory again.
    const kernels::HalfFormat format = half_format(storage_);
    std::vector<uint16_t> rounded(static_cast<size_t>(std::min(kernels::kPanel, n_) * k_));
    for (int64_t row = 0; row < n_; row += kernels::kPanel) {
      const int64_t rows = std::min(kernels::kPanel, n_ - row);
      kernels::to_half(weight + row * k_, rows * k_, format, rounded.data());
      kernels::pack_half(rounded.data(), k_, rows, k_, format,
                         halves->data() + kernels::half_size(row, k_));
    }
  } else {
    int32_t* to = std::get_if<Words>(&data_)->data();
    each_part(k_, [&](int64_t first, int64_t terms) {
      kernels::pack_quantized(weight + first, k_, n_, terms, to);
      to += kernels::quantized_size(n_, terms);
    });
  }
}

void PackedMatrix::multiply(const float* a, const float* bias, float* c, int64_t m, int64_t begin,
                            int64_t end, std::byte* scratch) const {
  const kernels::ConstRows rows{a, k_};
  const kernels::Rows to{c + begin, n_};
  const int64_t n = end - begin;
  if (bias) bias += begin;
  if (const Floats* floats = std::get_if<Floats>(&data_)) {
    const float* panels = floats->data() + kernels::packed_size(begin, k_);
    kernels::gemm(rows, {panels, k_}, bias, to, m, n, k_);
  } else if (const Halves* halves = std::get_if<Halves>(&data_)) {
    const uint16_t* panels = halves->data() + kernels::half_size(begin, k_);
    kernels::gemm_half(rows, {panels, k_, half_format(storage_)}, bias, to, m, n,
                       reinterpret_cast<float*>(scratch));
  } else {
    const int32_t* part = std::get_if<Words>(&data_)->data();
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
    : groups_(groups), features_(features), storage_(storage) {
  if (is_half(storage)) data_ = Halves();
}

void CachedRows::append(const float* fresh, int64_t count) {
  if (first_ + kept_ + count > capacity_) make_room(kept_ + count);
  appended_ = count;
  for (int64_t group = 0; group < groups_; ++group) {
    const float* from = fresh + group * count * features_;
    const int64_t to = start_of(group) + kept_ * features_;
    if (Floats* floats = std::get_if<Floats>(&data_)) {
      std::copy_n(from, count * features_, floats->data() + to);
    } else {
      kernels::to_half(from, count * features_, half_format(storage_),
                       std::get<Halves>(data_).data() + to);
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
  const int64_t start = start_of(group);
  if (const Floats* floats = std::get_if<Floats>(&data_)) {
    return kernels::ConstRows{floats->data() + start, features_};
  }
  return kernels::HalfRows{std::get<Halves>(data_).data() + start, half_format(storage_)};
}

void CachedRows::copy_to(float* to) const {
  const int64_t count = length() * features_;
  for (int64_t group = 0; group < groups_; ++group, to += count) {
    if (const Floats* floats = std::get_if<Floats>(&data_)) {
      std::copy_n(floats->data() + start_of(group), count, to);
    } else {
      kernels::from_half(std::get<Halves>(data_).data() + start_of(group), count,
                         half_format(storage_), to);
    }
  }
}

Count CachedRows::bytes() const { return bytes_of(data_); }

void CachedRows::make_room(int64_t length) {
  constexpr int64_t kLeastSpare = 16;
  const int64_t capacity = length + std::max(length / 4, kLeastSpare);
  std::visit(
      [&](auto& data) {
        std::decay_t<decltype(data)> roomy(static_cast<size_t>(groups_ * capacity * features_));
        for (int64_t group = 0; group < groups_; ++group) {
          std::copy_n(data.data() + start_of(group), kept_ * features_,
                      roomy.data() + group * capacity * features_);
        }
        data = std::move(roomy);
      },
      data_);
  capacity_ = capacity;
  first_ = 0;
}

}  // namespace attnscope
