#include "../../kernels/pooling.h"

#include <string_view>

#include "../../kernels/rows.h"
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
        kernels::add_weighted_rows(values + b * T * E, weights + b * T, T, E, 0.0f, out + b * E);
      }
    });
  };
}

Fusion linear_pooling(const Site& site, size_t first) {
  const std::vector<Step>& steps = site.graph.steps();
  if (first + 4 > steps.size()) return {};
  const Step &score = steps[first], &squeeze = steps[first + 1], &normalize = steps[first + 2],
             &combine = steps[first + 3];
  const auto is_op = [](const Step& step, std::string_view name) {
    return step.op->name() == name;
  };
  const bool fits = is_op(score, "linear") && site.output_shape().back() == 1 &&
                    is_op(squeeze, "squeeze") && squeeze.inputs[0] == score.output &&
                    is_op(normalize, "softmax") && normalize.inputs[0] == squeeze.output &&
                    is_op(combine, "weighted_sum") && combine.inputs[0] == normalize.output &&
                    combine.inputs[1] == score.inputs[0];
  if (!fits) return {};

  const Shape& shape = site.input_shape(0);
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const float* vector = site.parameter(1);
  const float bias = site.has_input(2) ? *site.parameter(2) : 0.0f;
  const TensorId hidden_id = site.input(0), mask_id = normalize.inputs[1],
                 weights_id = normalize.output, output_id = combine.output;
  return {4, [=](Workspace& workspace) {
            const float* hidden = workspace.read(hidden_id);
            const float* mask = workspace.read(mask_id);
            const Shape mask_shape = mask ? workspace.given_shape(mask_id) : Shape{};
            float* weights = workspace.write(weights_id);
            float* out = workspace.write(output_id);
            parallel_for(B, 1, [&](int64_t begin, int64_t end) {
              for (int64_t b = begin; b < end; ++b) {
                kernels::score_and_pool(
                    hidden + b * T * E, vector, bias,
                    mask ? mask + broadcast_row(mask_shape, {B, T}, b) : nullptr, T, E,
                    weights + b * T, out + b * E);
              }
            });
          }};
}

}  // namespace attnscope
