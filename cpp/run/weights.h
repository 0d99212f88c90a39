#pragma once

// A model's learned values, and the copies of them that kernels read.

#include <memory>
#include <utility>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"
#include "parameters.h"
#include "storage.h"

namespace attnscope {

/// A weight that a kernel reads packed.
struct Packing {
  Packing(TensorId id, bool is_turned = false) : weight(id), turned(is_turned) {}

  TensorId weight;
  bool turned;  // it is (k, n) in place of a linear step's (n, k), and packed in float32 alone

  bool operator==(const Packing&) const = default;

  /// The packed matrix is (n, k), of a weight of this shape.
  int64_t n(const Shape& shape) const { return shape[turned ? 1 : 0]; }
  int64_t k(const Shape& shape) const { return shape[turned ? 0 : 1]; }

  size_t place() const { return 2 * static_cast<size_t>(weight) + (turned ? 1 : 0); }
};

/// The weights of one graph.
struct BoundWeights {
  const ParameterValues& values;            // by Tensor::parameter
  std::vector<const PackedMatrix*> packed;  // by Packing::place(); nullptr for what is not packed
};

class Weights {
 public:
  Weights(std::shared_ptr<ParameterValues> values, Dtype storage)
      : values_(std::move(values)), storage_(storage) {}

  const ParameterValues& values() const { return *values_; }
  /// For another storage format of the same values.
  const std::shared_ptr<ParameterValues>& shared_values() const { return values_; }
  Dtype storage() const { return storage_; }

  /// Replaces every value in place; `values` have the shapes of those that are there. What is
  /// packed is packed again.
  void assign(const ParameterValues& values);

  /// Packs again what is packed, after a run has changed the values in place.
  void repack();

  /// The weights of `graph`; those that `packed` lists are packed by this call unless an earlier
  /// one did, for whatever graph.
  BoundWeights bind(const Graph& graph, const std::vector<Packing>& packed);

  /// Whether a parameter, or a part of it, is packed.
  bool is_packed(size_t parameter) const;

  /// Bytes of all packed weights.
  Count packed_bytes() const;

 private:
  /// A packed weight, and where its values are.
  struct Packed {
    const float* from;
    bool turned;
    PackedMatrix matrix;
  };

  std::shared_ptr<ParameterValues> values_;
  Dtype storage_;
  std::vector<std::unique_ptr<Packed>> packed_;  // which stay where they are
};

/// Bytes of the packed copies of these weights of `graph`, each counted once.
Count packed_bytes(const Graph& graph, const std::vector<Packing>& packed, Dtype storage);

}  // namespace attnscope
