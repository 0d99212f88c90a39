#pragma once

// Linear steps as kernels use them.

#include <vector>

#include "../../kernels/rows.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {

/// A linear step, whose weight (n, k) is packed; or the gradient by the input of such a step, x W,
/// as reads_turned() has it, whose weight is packed turned.
class Product {
 public:
  /// `most_rows`: how many rows run() is given at most.
  Product(const Site& site, int64_t most_rows, Scratch& scratch);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  const Packing& weight() const { return weight_; }
  Order order() const { return backwards_ ? Order::kBackwards : Order::kForwards; }

  /// Columns [begin, end) of `count` rows of x, to the same of `to`.
  void run(const Workspace& workspace, const float* x, int64_t count, float* to, int64_t begin,
           int64_t end) const;

 private:
  Packing weight_;
  TensorId bias_;
  int64_t n_, k_;
  bool backwards_;  // in every other step that reads the weight
  Slot<std::byte> scratch_;
};

/// Whether the step at `site` is x W by a parameter that other such steps read too: the gradient by
/// the input of linear steps that share their weight. Packed once, it serves them all.
bool reads_turned(const Site& site);

/// A linear step to one score.
class ScoreVector {
 public:
  explicit ScoreVector(const Site& site);

  /// The vector (k,), and what is added.
  const float* vector(const Workspace& workspace) const { return workspace.read(weight_); }
  float bias(const Workspace& workspace) const {
    return bias_ == kNoTensor ? 0.0f : *workspace.read(bias_);
  }

  /// scores (count,) of rows (count, k).
  void run(const Workspace& workspace, const float* rows, int64_t count, float* scores) const;

 private:
  TensorId weight_, bias_;
  int64_t k_;
};

/// A linear step and the element-wise ones after it, whose rows stay in the cache.
class Features {
 public:
  Features(const Product& product, std::vector<kernels::Map> maps)
      : product_(product), maps_(std::move(maps)) {}

  int64_t n() const { return product_.n(); }
  const Product& product() const { return product_; }

  /// to (count, n) of x (count, k).
  void run(const Workspace& workspace, const float* x, int64_t count, float* to) const;

 private:
  Product product_;
  std::vector<kernels::Map> maps_;
};

/// What makes a score of each row: a linear step to one score; or that of features, a linear step
/// and what is done to each of its numbers, which may be multiplied by those of a second one, the
/// gate (Ilse, Tomczak and Welling 2018, https://arxiv.org/abs/1802.04712). What is done to the
/// scores themselves belongs to it.
class Scorer {
 public:
  /// The scorer that starts at `site`, and its chain from there to the scores (..., 1); nothing
  /// where none does. `most_rows`: how many rows run() is given at most.
  static std::optional<Scorer> at(const Site& site, int64_t most_rows, Scratch& scratch,
                                  Chain& chain);

  /// The vector by which rows are multiplied, where that is all.
  const ScoreVector* vector_alone() const {
    return features_.empty() && score_maps_.empty() ? &vector_ : nullptr;
  }

  /// Features between the rows and the scores, the gate's included; 0 where there are none.
  int64_t features() const;
  std::vector<Packing> packed() const;

  /// scores (count,) of rows (count, k).
  void run(const Workspace& workspace, const float* rows, int64_t count, float* scores) const;

 private:
  Scorer(std::vector<Features> features, const ScoreVector& vector,
         std::vector<kernels::Map> score_maps, Slot<float> made, Slot<float> gate)
      : features_(std::move(features)),
        vector_(vector),
        score_maps_(std::move(score_maps)),
        made_(made),
        gate_(gate) {}

  std::vector<Features> features_;  // none, one, or one and its gate
  ScoreVector vector_;
  std::vector<kernels::Map> score_maps_;
  Slot<float> made_, gate_;
};

}  // namespace attnscope
