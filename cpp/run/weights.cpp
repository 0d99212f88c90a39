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
  for (const auto& packed : packed_) packed->matrix.pack(packed->from, packed->turned);
}

BoundWeights Weights::bind(const Graph& graph, const std::vector<Packing>& packed) {
  BoundWeights bound{*values_,
                     std::vector<const PackedMatrix*>(2 * graph.tensors().size(), nullptr)};
  for (const Packing& packing : packed) {
    const Tensor& tensor = graph.tensor(packing.weight);
    const Values& whole = bound.values[static_cast<size_t>(tensor.parameter)];
    const float* from = whole.data() + tensor.offset;
    const bool turned = packing.turned;
    const int64_t n = packing.n(tensor.shape), k = packing.k(tensor.shape);
    auto known = std::ranges::find_if(packed_, [&](const auto& other) {
      const PackedMatrix& matrix = other->matrix;
      return other->from == from && other->turned == turned && matrix.n() == n && matrix.k() == k;
    });
    if (known == packed_.end()) {
      auto fresh = std::make_unique<Packed>(Packed{from, turned, PackedMatrix(n, k, storage_)});
      fresh->matrix.pack(from, turned);
      known = packed_.insert(packed_.end(), std::move(fresh));
    }
    bound.packed[packing.place()] = &(*known)->matrix;
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

Count packed_bytes(const Graph& graph, const std::vector<Packing>& packed, Dtype storage) {
  Count bytes = 0;
  for (auto packing = packed.begin(); packing != packed.end(); ++packing) {
    const Tensor& tensor = graph.tensor(packing->weight);
    const bool seen = std::any_of(packed.begin(), packing, [&](const Packing& before) {
      const Tensor& other = graph.tensor(before.weight);
      return before.turned == packing->turned && other.storage == tensor.storage &&
             other.offset == tensor.offset && other.shape == tensor.shape;
    });
    if (seen) continue;
    const int64_t n = packing->n(tensor.shape), k = packing->k(tensor.shape);
    bytes = sum(bytes, PackedMatrix::bytes(n, k, storage));
  }
  return bytes;
}

}  // namespace attnscope
