#include "../../kernels/pooling.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "../../kernels/rows.h"
#include "../../kernels/softmax.h"
#include "../../ops/broadcast.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {

Kernel weighted_sum_kernel(const Site& site) {
  const Shape& shape = site.input_shape(1);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  return [=, w = site.input(0), x = site.input(1), y = site.step.output](Workspace& workspace) {
    const float* weights = workspace.read(w);
    const float* values = workspace.read(x);
    float* out = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        std::fill_n(out + b * E, E, 0.0f);
        kernels::add_weighted_rows({values + b * T * E, E}, weights + b * T, T, E, out + b * E);
      }
    });
  };
}

namespace {

/// Where the mask of a sequence starts, or nullptr.
const float* mask_of(const Workspace& workspace, TensorId id, const Shape& sequences, int64_t b) {
  const float* mask = id == kNoTensor ? nullptr : workspace.read(id);
  return mask ? mask + broadcast_row(workspace.given_shape(id), sequences, b) : nullptr;
}

/// A kernel that gets each sequence by itself: x (T, E), its mask (T,) or nullptr, y (E,).
template <class Work>
Kernel sequence_kernel(const Site& site, Work work) {
  const Shape& shape = site.input_shape(0);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const TensorId mask_id = site.has_input(1) ? site.input(1) : kNoTensor;
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(B, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        work(from + b * T * E, mask_of(workspace, mask_id, {B, T}, b), T, E, to + b * E);
      }
    });
  };
}

void mean_of(const float* x, const float* mask, int64_t T, int64_t E, float* y) {
  std::vector<float> weights(static_cast<size_t>(T), 0.0f);
  kernels::softmax(weights.data(), mask, T, weights.data());
  std::fill_n(y, E, 0.0f);
  kernels::add_weighted_rows({x, E}, weights.data(), T, E, y);
}

void max_of(const float* x, const float* mask, int64_t T, int64_t E, float* y) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  bool any = false;
  for (int64_t t = 0; t < T; ++t) {
    if (mask && mask[t] == kHidden) continue;
    if (any) {
      kernels::maximum(x + t * E, y, E, y);
    } else {
      std::copy_n(x + t * E, E, y);
    }
    any = true;
  }
  if (!any) std::fill_n(y, E, 0.0f);
}

}  // namespace

Kernel mean_pool_kernel(const Site& site) { return sequence_kernel(site, mean_of); }

Kernel max_pool_kernel(const Site& site) { return sequence_kernel(site, max_of); }

namespace {

/// A linear scorer and its pooling, part by part: each thread gets some, and hidden states that are
/// not in the core yet are pooled as they come in, and need no memory but the cache. The parts are
/// the same ones either way, with any number of threads, and so are the results.
struct LinearPooling {
  Shape shape;
  TensorId hidden_id, mask_id, weights_id, output_id;
  const float* vector = nullptr;
  float bias = 0.0f;

  void operator()(Workspace& workspace) const {
    const int64_t B = shape[0], T = shape[1], E = shape[2];
    Source source = workspace.source(hidden_id);
    if (source && T * E < kSmallPart) workspace.load(hidden_id), source = {};
    constexpr int64_t kGroup = kernels::kPooledRows;
    const int64_t part = std::min(T, std::max(kPart / E / kGroup, int64_t{1}) * kGroup);
    const int64_t parts = parts_of(T, part);
    float* weights = workspace.write(weights_id);
    float* out = workspace.write(output_id);
    std::vector<kernels::Pooled> pooled(static_cast<size_t>(B * parts));
    std::vector<float> partial(static_cast<size_t>(B * (parts - 1) * E));  // of all but the first
    const auto result_of = [&](int64_t b, int64_t p) {
      return p == 0 ? out + b * E : partial.data() + (b * (parts - 1) + p - 1) * E;
    };
    const auto first_of = [&](int64_t task) { return task / parts * T + task % parts * part; };
    const auto rows_of = [&](int64_t task) { return std::min(part, T - task % parts * part); };
    const auto pool = [&](int64_t task, const float* rows) {
      const int64_t b = task / parts, first = task % parts * part;
      const float* mask = mask_of(workspace, mask_id, {B, T}, b);
      pooled[static_cast<size_t>(task)] =
          kernels::score_and_pool(rows, vector, bias, mask ? mask + first : nullptr, rows_of(task),
                                  E, weights + b * T + first, result_of(b, task % parts));
    };
    if (source) {
      const int64_t slots = thread_count() == 1 ? 1 : 2 * thread_count();
      std::vector<float> loaded(static_cast<size_t>(slots * part * E));
      parallel_for_loaded(
          B * parts, slots,
          [&](int64_t task, int64_t slot) {
            source(static_cast<size_t>(first_of(task) * E), static_cast<size_t>(rows_of(task) * E),
                   loaded.data() + slot * part * E);
          },
          [&](int64_t task, int64_t slot) { pool(task, loaded.data() + slot * part * E); });
    } else {
      const float* hidden = workspace.read(hidden_id);
      parallel_for(B * parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) pool(task, hidden + first_of(task) * E);
      });
    }
    for (int64_t b = 0; b < B; ++b) {
      kernels::Pooled all = pooled[static_cast<size_t>(b * parts)];
      for (int64_t p = 1; p < parts; ++p) {
        all = kernels::add_pooled(all, out + b * E, pooled[static_cast<size_t>(b * parts + p)],
                                  result_of(b, p), E);
      }
      kernels::finish_pooling(all, T, E, weights + b * T, out + b * E);
    }
  }

 private:
  // Floats of a part: they stay in L2.
  static constexpr int64_t kPart = 48 << 10, kSmallPart = 16 << 10;
};

}  // namespace

Fusion linear_pooling(const Place& place, const Uses&, size_t first) {
  const std::vector<Step>& steps = place.graph.steps();
  if (first + 4 > steps.size()) return {};
  const Step &score = steps[first], &squeeze = steps[first + 1], &normalize = steps[first + 2],
             &combine = steps[first + 3];
  const auto is_op = [](const Step& step, std::string_view name) {
    return step.op->name() == name;
  };
  const bool fits = is_op(score, "linear") && place.output_shape().back() == 1 &&
                    is_op(squeeze, "squeeze") && squeeze.inputs[0] == score.output &&
                    is_op(normalize, "softmax") && normalize.inputs[0] == squeeze.output &&
                    is_op(combine, "weighted_sum") && combine.inputs[0] == normalize.output &&
                    combine.inputs[1] == score.inputs[0];
  if (!fits) return {};

  const TensorId hidden_id = place.input(0), weights_id = normalize.output,
                 output_id = combine.output;
  const LinearPooling kernel{place.input_shape(0), hidden_id, normalize.inputs[1], weights_id,
                             output_id};
  const auto make_kernel = [kernel](const Site& site) {
    LinearPooling own = kernel;
    own.vector = site.parameter(1);
    if (site.has_input(2)) own.bias = *site.parameter(2);
    return own;
  };
  return {4, {hidden_id}, {weights_id, output_id}, make_kernel, true};
}

}  // namespace attnscope
