#pragma once

// How the steps of attention are found in a graph, and where the numbers of heads lie: for its
// kernel and for that of its gradient.

#include <optional>
#include <vector>

#include "../../kernels/attention.h"
#include "../../ops/band.h"
#include "../../ops/positions.h"
#include "../../ops/softmax.h"
#include "../lowering.h"

namespace attnscope {

/// Where the rows of heads lie in a tensor; strides in floats.
struct Heads {
  TensorId id;
  int64_t batch_stride, head_stride, row_stride;

  kernels::ConstRows head(const Workspace& workspace, int64_t batch, int64_t head) const {
    return {workspace.read(id) + batch * batch_stride + head * head_stride, row_stride};
  }
  /// The same of a tensor that may be cached.
  kernels::StoredRows stored_head(const Workspace& workspace, int64_t batch, int64_t head) const {
    const CachedRows* cache = workspace.cache(id);
    if (!cache) return this->head(workspace, batch, head);
    return cache->rows(batch * (batch_stride / head_stride) + head);
  }
  kernels::Rows rows_to_write(Workspace& workspace, int64_t batch, int64_t head) const {
    return {workspace.write(id) + batch * batch_stride + head * head_stride, row_stride};
  }
};

/// (B, H, T, D), or (B, T, D), of which the head is one.
Heads contiguous(TensorId id, const Shape& shape);

/// Heads as they were before they were split or repeated.
Heads source_of(const Site& site, TensorId id);

/// How many heads there are before any are repeated.
int64_t heads_in(const Site& site, TensorId id);

/// The steps from the first product to the second, or to the merging of heads after it.
struct Attention {
  TensorId query = kNoTensor, key = kNoTensor, value = kNoTensor;
  // What becomes of a product before its softmax: after(scale · before(product) + bias).
  std::vector<kernels::Map> before{}, after{};
  float scale = 1.0f;
  TensorId bias = kNoTensor, mask = kNoTensor;
  MaskOf mask_of = MaskOf::kScores;
  TensorId weights = kNoTensor;   // where something else reads them
  TensorId combined = kNoTensor;  // what the second product makes
  TensorId output = kNoTensor;    // the same, or what merges its heads
  bool merged = false;
  Band band{};
  Shape scores{};

  int64_t heads() const { return scores.size() == 4 ? scores[1].size : 1; }
  int64_t queries() const { return scores[scores.size() - 2]; }
  int64_t keys() const { return scores.back(); }
  kernels::AttentionSizes sizes(const Site& site) const {
    return {queries(), keys(), site.shape(query).back(), site.shape(value).back()};
  }
  Heads output_heads(const Site& site) const;
};

/// Finds the attention that starts with the product at `site`, and sets `chain` to its end.
std::optional<Attention> attention_at(const Site& site, Chain& chain);

/// The steps behind those of an attention, from the product that makes the gradient by its weights
/// to those of queries and keys. They make the weights once more, from what its kernel keeps of
/// each row's softmax where the weights would be.
struct AttentionGradient {
  Attention of{};
  std::vector<const Step*> steps{};            // wherever they stand
  std::vector<kernels::ScoreGradient> maps{};  // of `before`
  TensorId upper = kNoTensor;                  // the gradient by what is combined, (…, T, V)
  TensorId query = kNoTensor, key = kNoTensor, value = kNoTensor;  // where they are wanted
};

/// Finds the gradient that starts with the product at `site`.
std::optional<AttentionGradient> attention_gradient_at(const Site& site);

/// Whether nothing needs the weights of the attention that starts at `site` but a gradient that
/// makes them once more.
bool has_gradient_without_weights(const Site& site, const Attention& found);

/// Floats of each row's softmax (kernels::RowSoftmax), which is kept in memory of the weights.
inline Count softmax_floats(const Attention& found) {
  return product({found.scores[0], found.heads(), found.queries(),
                  sizeof(kernels::RowSoftmax) / sizeof(float)});
}

/// What is added to scores, and which keys each query sees.
class AddedToScores {
 public:
  AddedToScores(const Site& site, const Attention& found, Scratch& scratch);

  /// What is read for the bias; kNoTensor where there is none, or nothing is read.
  TensorId bias_input() const { return distance_ ? bias_table_ : bias_; }

  /// Lists which keys each query sees, and what each distance adds to the scores.
  void prepare(const Workspace& workspace) const;

  const kernels::KeyRange* visible(const Workspace& workspace) const {
    return workspace.at(visible_);
  }
  kernels::ConstRows bias(const Workspace& workspace, int64_t batch, int64_t head) const;
  kernels::ConstRows mask(const Workspace& workspace, int64_t batch, int64_t head) const;

 private:
  TensorId bias_, mask_;
  MaskOf mask_of_;
  Band band_;
  Shape scores_;
  int64_t H_, T_, S_;
  Shape bias_shape_{};
  const DistanceBias* distance_ = nullptr;  // where distance alone decides the bias
  TensorId bias_table_ = kNoTensor;         // from which it is made
  Slot<kernels::KeyRange> visible_;
  Slot<float> by_distance_;
};

}  // namespace attnscope
