#include "weights.h"

#include <algorithm>

namespace attnscope {

void Weights::assign(const ParameterValues& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    std::copy(values[i].begin(), values[i].end(), (*values_)[i].begin());
  }
  repack();
}

void Weights::repack() {
  for (const auto& packed : packed_) packed->matrix.pack(packed->from);
}

BoundWeights Weights::bind(const Graph& graph, const std::vector<TensorId>& packed) {
  BoundWeights bound{*values_, std::vector<const PackedMatrix*>(graph.tensors().size(), nullptr)};
  for (const TensorId id : packed) {
    const Tensor& tensor = graph.tensor(id);
    const Values& whole = bound.values[static_cast<size_t>(tensor.parameter)];
    const float* from = whole.data() + tensor.offset;
    const int64_t n = tensor.shape[0], k = tensor.shape[1];
    auto known = std::find_if(packed_.begin(), packed_.end(), [&](const auto& one) {
      return one->from == from && one->matrix.n() == n && one->matrix.k() == k;
    });
    if (known == packed_.end()) {
      auto made = std::make_unique<Packed>(Packed{from, PackedMatrix(n, k, storage_)});
      made->matrix.pack(from);
      known = packed_.insert(packed_.end(), std::move(made));
    }
    bound.packed[static_cast<size_t>(id)] = &(*known)->matrix;
  }
  return bound;
}

bool Weights::is_packed(size_t parameter) const {
  const Values& values = (*values_)[parameter];
  return std::ranges::any_of(packed_, [&](const auto& packed) {
    return packed->from >= values.data() && packed->from < values.data() + values.size();
  });
}

Count Weights::packed_bytes() const {
  Count bytes = 0;
  for (const auto& packed : packed_) bytes += packed->matrix.bytes();
  return bytes;
}

Count packed_bytes(const Graph& graph, const std::vector<TensorId>& packed, Dtype storage) {
  Count bytes = 0;
  for (auto id = packed.begin(); id != packed.end(); ++id) {
    const Tensor& tensor = graph.tensor(*id);
    const bool seen = std::any_of(packed.begin(), id, [&](TensorId before) {
      const Tensor& other = graph.tensor(before);
      return other.storage == tensor.storage && other.offset == tensor.offset &&
             other.shape == tensor.shape;
    });
    if (!seen) bytes = sum(bytes, PackedMatrix::bytes(tensor.shape[0], tensor.shape[1], storage));
  }
  return bytes;
}

}  // namespace attnscope
