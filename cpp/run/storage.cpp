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

}  // namespace

PackedMatrix::PackedMatrix(const float* weight, int64_t n, int64_t k, Dtype storage)
    : n_(n), k_(k), storage_(storage) {
  if (storage == Dtype::kInt8 && k <= kernels::kQuantizedDepth) {
    Words words(static_cast<size_t>(kernels::quantized_size(n, k)));
    kernels::pack_quantized(weight, k, n, k, words.data());
    data_ = std::move(words);
  } else if (is_half(storage)) {
    const kernels::HalfFormat format = half_format(storage);
    std::vector<uint16_t> rounded(static_cast<size_t>(n * k));
    kernels::to_half(weight, n * k, format, rounded.data());
    Halves halves(static_cast<size_t>(kernels::half_size(n, k)));
    kernels::pack_half(rounded.data(), k, n, k, format, halves.data());
    data_ = std::move(halves);
  } else {
    Floats panels(static_cast<size_t>(kernels::packed_size(n, k)));
    kernels::pack_transposed(weight, k, n, k, panels.data());
    data_ = std::move(panels);
  }
}

void PackedMatrix::multiply(const float* a, const float* bias, float* c, int64_t m, int64_t begin,
                            int64_t end) const {
  const kernels::ConstRows rows{a, k_};
  const kernels::Rows to{c + begin, n_};
  const int64_t n = end - begin;
  if (bias) bias += begin;
  if (const Floats* floats = std::get_if<Floats>(&data_)) {
    const float* panels = floats->data() + kernels::packed_size(begin, k_);
    kernels::gemm(rows, {panels, k_}, bias, to, m, n, k_);
  } else if (const Halves* halves = std::get_if<Halves>(&data_)) {
    const uint16_t* panels = halves->data() + kernels::half_size(begin, k_);
    kernels::gemm_half(rows, {panels, k_, half_format(storage_)}, bias, to, m, n);
  } else {
    const int32_t* panels = std::get<Words>(data_).data() + kernels::quantized_size(begin, k_);
    std::vector<int32_t> quantized(static_cast<size_t>(kernels::quantized_rows_size(m, k_)));
    kernels::quantize_rows(rows, m, k_, quantized.data());
    kernels::gemm_quantized(quantized.data(), {panels, k_}, bias, to, m, n);
  }
}

PackedWeights::Packed PackedWeights::get(const float* weight, int64_t n, int64_t k) {
  for (const Source& known : sources_) {
    const bool same = known.weight == weight && known.packed->n() == n && known.packed->k() == k;
    if (same) return known.packed;
  }
  sources_.push_back({weight, std::make_shared<const PackedMatrix>(weight, n, k, storage_)});
  return sources_.back().packed;
}

Count PackedMatrix::bytes() const { return bytes_of(data_); }

Count PackedWeights::bytes() const {
  Count bytes = 0;
  for (const Source& source : sources_) bytes += source.packed->bytes();
  return bytes;
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
