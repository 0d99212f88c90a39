#pragma once

// Weights as the kernels of linear steps use them.

#include <vector>

#include "../../kernels/rows.h"
#include "../kernels.h"

namespace attnscope {

/// Rows that a product computes at once with relaxed SIMD; without it, one less. Where work is cut
/// into parts of a multiple of these, only the last part ends with fewer.
inline constexpr int64_t kProductRows = 6;

/// A packed weight (n, k), and where its bias is.
class Projection {
 public:
  explicit Projection(const Site& site)
      : bias_(site.has_input(2) ? site.parameter(2) : nullptr),
        weight_(
            site.packed.get(site.parameter(1), site.input_shape(1)[0], site.input_shape(1)[1])) {}

  int64_t n() const { return weight_->n(); }
  int64_t k() const { return weight_->k(); }

  /// Columns [begin, end) of `count` rows of x, to the same of `to`.
  void run(const float* x, int64_t count, float* to, int64_t begin, int64_t end) const {
    weight_->multiply(x, bias_, to, count, begin, end);
  }

 private:
  const float* bias_;
  PackedWeights::Packed weight_;
};

/// The weight of a linear step to one score, and its bias.
struct ScoreVector {
  explicit ScoreVector(const Site& site)
      : weight(site.parameter(1)), bias(site.has_input(2) ? *site.parameter(2) : 0.0f) {}

  const float* weight;
  float bias;
};

/// A linear step, its activation and the linear step to one score: rows stay in the cache from one
/// to the next.
class ActivatedScorer {
 public:
  /// Of the linear step at `site` and of those that follow it.
  ActivatedScorer(const Site& site, const Step& activation, const Step& score)
      : projection_(site),
        activate_(activation_function(*activation.op)),
        vector_({{site.graph, score}, site.parameters, site.packed}) {}

  int64_t n() const { return projection_.n(); }
  int64_t k() const { return projection_.k(); }

  void run(const float* rows, int64_t count, float* scores) const {
    std::vector<float> activated(static_cast<size_t>(count * n()));
    projection_.run(rows, count, activated.data(), 0, n());
    activate_(activated.data(), count * n(), activated.data());
    kernels::dot_rows({activated.data(), n()}, vector_.weight, vector_.bias, count, n(), scores);
  }

 private:
  Projection projection_;
  MapFunction activate_;
  ScoreVector vector_;
};

}  // namespace attnscope
