#include "weights.h"

#include <algorithm>
#include <set>

namespace attnscope {

void Weights::assign(const State& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    std::copy(values[i].begin(), values[i].end(), (*state_)[i].begin());
  }
  for (auto& [source, packed] : packed_) packed.pack(std::get<const float*>(source));
}

BoundWeights Weights::bind(const Graph& graph, const std::vector<TensorId>& packed) {
  BoundWeights bound{parameters_of(graph, *state_),
                     std::vector<const PackedMatrix*>(graph.tensors().size(), nullptr)};
  for (const TensorId id : packed) {
    const Tensor& tensor = graph.tensor(id);
    const float* from = bound.values[static_cast<size_t>(id)]->data() + tensor.offset;
    const int64_t n = tensor.shape[0], k = tensor.shape[1];
    auto known = packed_.find({from, n, k});
    if (known == packed_.end()) {
      PackedMatrix made(n, k, storage_);
      made.pack(from);
      known = packed_.emplace(Source{from, n, k}, std::move(made)).first;
    }
    bound.packed[static_cast<size_t>(id)] = &known->second;
  }
  return bound;
}

Count Weights::packed_bytes() const {
  Count bytes = 0;
  for (const auto& [source, packed] : packed_) bytes += packed.bytes();
  return bytes;
}

Count packed_bytes(const Graph& graph, const std::vector<TensorId>& packed, Dtype storage) {
  std::set<std::tuple<TensorId, int64_t, int64_t>>
      seen;  // what is viewed, from where, how many rows
  Count bytes = 0;
  for (const TensorId id : packed) {
    const Tensor& tensor = graph.tensor(id);
    if (!seen.emplace(tensor.storage, tensor.offset, tensor.shape[0].size).second) continue;
    bytes = sum(bytes, PackedMatrix::bytes(tensor.shape[0], tensor.shape[1], storage));
  }
  return bytes;
}

}  // namespace attnscope
