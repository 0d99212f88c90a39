#include "storage.h"

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

PackedWeights::Packed PackedWeights::get(const std::string& name, const float* weight, int64_t n,
                                         int64_t k) {
  Packed& packed = packed_[name];
  if (!packed) packed = std::make_shared<const PackedMatrix>(weight, n, k, storage_);
  return packed;
}

StoredValues::StoredValues(Values values, Dtype storage) {
  if (!is_half(storage)) {
    data_ = std::move(values);
    return;
  }
  Halves halves{std::vector<uint16_t>(values.size()), shape_of(values), storage};
  kernels::to_half(values.data(), static_cast<int64_t>(values.size()), half_format(storage),
                   halves.data.data());
  data_ = std::move(halves);
}

const Values& StoredValues::widened(Values& own) const {
  if (const Values* values = std::get_if<Values>(&data_)) return *values;
  const Halves& halves = std::get<Halves>(data_);
  own = make_values(halves.shape);
  kernels::from_half(halves.data.data(), static_cast<int64_t>(own.size()),
                     half_format(halves.format), own.data());
  return own;
}

}  // namespace attnscope
