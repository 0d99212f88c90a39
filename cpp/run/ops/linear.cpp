#include <algorithm>
#include <vector>

#include "../../kernels/rows.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// One output feature: a dot product for each row.
Kernel score_kernel(const Site& site, int64_t rows, int64_t k) {
  constexpr int64_t kGrain = 64;
  return [=, x = site.input(0), y = site.step.output, vector = site.parameter(1),
          bias = site.has_input(2) ? *site.parameter(2) : 0.0f](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      kernels::dot_rows({from + begin * k, k}, vector, bias, end - begin, k, scores + begin);
    });
  };
}

constexpr int64_t kGrain = 60;  // whole tiles, whether they have 5 rows or 6

/// A packed weight (n, k), and where its bias is.
class Projection {
 public:
  explicit Projection(const Site& site)
      : bias_(site.has_input(2) ? site.parameter(2) : nullptr),
        weight_(site.packed.get(site.graph.tensor(site.input(1)).name, site.parameter(1),
                                site.input_shape(1)[0], site.input_shape(1)[1])) {}

  int64_t features() const { return weight_->n(); }

  /// Rows that one thread makes at least: fewer of a large layer that is watched, so that they take
  /// no more than some milliseconds.
  int64_t grain() const {
    constexpr int64_t kLarge = 4'000'000, kFew = 10;
    return is_watched() && weight_->n() * weight_->k() > kLarge ? kFew : kGrain;
  }

  /// Rows [begin, end) of x, to `to`.
  void run(const float* x, int64_t begin, int64_t end, float* to) const {
    weight_->multiply(x + begin * weight_->k(), bias_, to, end - begin);
  }

 private:
  const float* bias_;
  PackedWeights::Packed weight_;
};

/// linear, activation and, with `score`, the linear to one number that follows: rows stay in the
/// cache from one to the next.
Kernel activated_kernel(const Site& site, const Step& activation, const Step* score) {
  const MapFunction activate = activation_function(*activation.op);
  const int64_t rows = count_of(site.output_shape()) / site.output_shape().back();
  const TensorId x = site.input(0);
  if (!score) {
    return [=, projection = Projection(site), y = activation.output](Workspace& workspace) {
      const int64_t n = projection.features();
      const float* from = workspace.read(x);
      float* to = workspace.write(y);
      parallel_for(rows, projection.grain(), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row += kGrain) {
          const int64_t last = std::min(row + kGrain, end);
          projection.run(from, row, last, to + row * n);
          activate(to + row * n, (last - row) * n, to + row * n);
        }
      });
    };
  }
  const Site last{{site.graph, *score}, site.parameters, site.packed};
  return [=, projection = Projection(site), y = score->output, vector = last.parameter(1),
          bias = last.has_input(2) ? *last.parameter(2) : 0.0f](Workspace& workspace) {
    const int64_t n = projection.features();
    const float* from = workspace.read(x);
    float* scores = workspace.write(y);
    parallel_for(rows, projection.grain(), [&](int64_t begin, int64_t end) {
      std::vector<float> activated(static_cast<size_t>(kGrain * n));
      for (int64_t row = begin; row < end; row += kGrain) {
        const int64_t count = std::min(kGrain, end - row);
        projection.run(from, row, row + count, activated.data());
        activate(activated.data(), count * n, activated.data());
        kernels::dot_rows({activated.data(), n}, vector, bias, count, n, scores + row);
      }
    });
  };
}

/// The step at `index`, when it reads `made` and nothing else does.
const Step* only_reader(const Place& place, const Uses& uses, size_t index, TensorId made) {
  const std::vector<Step>& steps = place.graph.steps();
  const bool next = index < steps.size() && steps[index].inputs[0] == made;
  return next && uses.reads(made) == 1 ? &steps[index] : nullptr;
}

int64_t out_features(const Place& place, const Step& linear) {
  return place.graph.tensor(linear.output).shape.back();
}

}  // namespace

Kernel linear_kernel(const Site& site) {
  const int64_t n = site.output_shape().back(), rows = count_of(site.output_shape()) / n;
  if (n == 1) return score_kernel(site, rows, site.input_shape(1)[1]);
  return [=, projection = Projection(site), x = site.input(0),
          y = site.step.output](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, projection.grain(), [&](int64_t begin, int64_t end) {
      projection.run(from, begin, end, to + begin * n);
    });
  };
}

Fusion activated_linear(const Place& place, const Uses& uses, size_t first) {
  if (place.step.op->name() != "linear" || out_features(place, place.step) == 1) return {};
  const Step* activation = only_reader(place, uses, first + 1, place.step.output);
  if (!activation || !activation_function(*activation->op)) return {};
  const Step* score = only_reader(place, uses, first + 2, activation->output);
  if (score && (score->op->name() != "linear" || out_features(place, *score) != 1)) score = nullptr;
  return {
      score ? 3u : 2u,
      {place.input(0)},
      {score ? score->output : activation->output},
      [activation, score](const Site& site) { return activated_kernel(site, *activation, score); }};
}

}  // namespace attnscope
