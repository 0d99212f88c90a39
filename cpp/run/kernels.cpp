#include "kernels.h"

#include <algorithm>
#include <string_view>

#include "../kernels/gemm.h"
#include "../kernels/pooling.h"
#include "../kernels/rows.h"
#include "../kernels/softmax.h"
#include "../kernels/tanh.h"
#include "../ops/matmul.h"
#include "../ops/scale.h"
#include "threads.h"

namespace attnscope {
namespace {

int64_t count_of(const Shape& shape) { return static_cast<int64_t>(elements(shape)); }

/// The value of a one-element bias, or 0 without one.
float scalar_bias(const Step& step, const Parameters& parameters) {
  if (step.inputs.size() < 3) return 0.0f;
  return parameters[static_cast<size_t>(step.inputs[2])].data()[0];
}

Kernel linear_kernel(const Graph& graph, const Step& step, const Parameters& parameters) {
  const TensorId x = step.inputs[0], y = step.output;
  const Values& weight = parameters[static_cast<size_t>(step.inputs[1])];
  const int64_t n = static_cast<int64_t>(weight.shape(0)),
                k = static_cast<int64_t>(weight.shape(1));
  const int64_t m = count_of(graph.tensor(y).shape) / n;

  if (n == 1) {
    constexpr int64_t kGrain = 64;
    return [=, vector = weight.data(), bias = scalar_bias(step, parameters)](Workspace& workspace) {
      const float* rows = workspace.read(x);
      float* scores = workspace.write(y);
      parallel_for(m, kGrain, [&](int64_t begin, int64_t end) {
        kernels::dot_rows(rows + begin * k, vector, bias, end - begin, k, scores + begin);
      });
    };
  }
  auto packed =
      std::make_shared<std::vector<float>>(static_cast<size_t>(kernels::packed_size(n, k)));
  kernels::pack_transposed(weight.data(), n, k, packed->data());
  const float* bias =
      step.inputs.size() > 2 ? parameters[static_cast<size_t>(step.inputs[2])].data() : nullptr;
  return [=](Workspace& workspace) {
    constexpr int64_t kGrain = 60;  // whole tiles, whether they have 5 rows or 6
    const float* rows = workspace.read(x);
    float* out = workspace.write(y);
    parallel_for(m, kGrain, [&](int64_t begin, int64_t end) {
      kernels::gemm(rows + begin * k, packed->data(), bias, out + begin * n, end - begin, n, k);
    });
  };
}

Kernel tanh_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const int64_t count = count_of(graph.tensor(step.output).shape);
  return [=, x = step.inputs[0], y = step.output](Workspace& workspace) {
    constexpr int64_t kGrain = 4096;
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      kernels::tanh(from + begin, end - begin, to + begin);
    });
  };
}

Kernel softmax_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const Shape& shape = graph.tensor(step.output).shape;
  const int64_t length = shape.back(), rows = count_of(shape) / length;
  const TensorId mask_id = step.inputs.size() > 1 ? step.inputs[1] : kNoTensor;
  const int64_t mask_size = mask_id == kNoTensor ? 0 : count_of(graph.tensor(mask_id).shape);
  return [=, x = step.inputs[0], y = step.output](Workspace& workspace) {
    const float* scores = workspace.read(x);
    const float* mask = mask_id == kNoTensor ? nullptr : workspace.read(mask_id);
    float* weights = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t at = row * length;
        kernels::softmax(scores + at, mask ? mask + at % mask_size : nullptr, length, weights + at);
      }
    });
  };
}

Kernel weighted_sum_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const Shape& shape = graph.tensor(step.inputs[1]).shape;
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  return [=, w = step.inputs[0], x = step.inputs[1], y = step.output](Workspace& workspace) {
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

Kernel matmul_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const bool transposed =
      static_cast<const Matmul&>(*step.op).right() == Matmul::Right::kTransposed;
  const Shape& shape = graph.tensor(step.output).shape;
  const int64_t N = shape.back(), M = shape[shape.size() - 2];
  const int64_t K = graph.tensor(step.inputs[0]).shape.back(), batches = count_of(shape) / (M * N);
  return [=, a = step.inputs[0], b = step.inputs[1], c = step.output](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* out = workspace.write(c);
    parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      std::vector<float> packed(static_cast<size_t>(kernels::packed_size(N, K)));
      for (int64_t i = begin; i < end; ++i) {
        const auto pack = transposed ? kernels::pack_transposed : kernels::pack_plain;
        pack(right + i * K * N, N, K, packed.data());
        kernels::gemm(left + i * M * K, packed.data(), nullptr, out + i * M * N, M, N, K);
      }
    });
  };
}

Kernel scale_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const int64_t count = count_of(graph.tensor(step.output).shape);
  const float factor = static_cast<float>(static_cast<const Scale&>(*step.op).factor());
  return [=, x = step.inputs[0], y = step.output](Workspace& workspace) {
    constexpr int64_t kGrain = 16384;
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = from[i] * factor;
    });
  };
}

/// Copies rows of `row` floats from (outer, middle, inner) to (outer, inner, middle) order.
Kernel swap_kernel(TensorId from_id, TensorId to_id, int64_t outer, int64_t middle, int64_t inner,
                   int64_t row) {
  return [=](Workspace& workspace) {
    const float* from = workspace.read(from_id);
    float* to = workspace.write(to_id);
    parallel_for(outer * middle, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / middle, m = i % middle;
        for (int64_t n = 0; n < inner; ++n) {
          std::copy_n(from + (i * inner + n) * row, row, to + ((o * inner + n) * middle + m) * row);
        }
      }
    });
  };
}

Kernel split_heads_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const Shape& heads = graph.tensor(step.output).shape;  // (B, H, T, D)
  return swap_kernel(step.inputs[0], step.output, heads[0], heads[2], heads[1], heads[3]);
}

Kernel merge_heads_kernel(const Graph& graph, const Step& step, const Parameters&) {
  const Shape& heads = graph.tensor(step.inputs[0]).shape;  // (B, H, T, D)
  return swap_kernel(step.inputs[0], step.output, heads[0], heads[1], heads[2], heads[3]);
}

Kernel reference_kernel(const Graph& graph, const Step& step, const Parameters&) {
  return [&graph, &step](Workspace& workspace) {
    std::vector<Array> values(step.inputs.size());
    std::vector<const Array*> operands(step.inputs.size(), nullptr);
    for (size_t i = 0; i < values.size(); ++i) {
      const float* from = workspace.read(step.inputs[i]);
      if (!from) continue;
      const Shape& shape = graph.tensor(step.inputs[i]).shape;
      values[i] = Array::from_shape(std::vector<size_t>(shape.begin(), shape.end()));
      std::copy_n(from, values[i].size(), values[i].data());
      operands[i] = &values[i];
    }
    const Array result = step.op->forward(operands);
    std::copy(result.begin(), result.end(), workspace.write(step.output));
  };
}

using KernelMaker = Kernel (*)(const Graph&, const Step&, const Parameters&);

constexpr std::pair<std::string_view, KernelMaker> kKernels[] = {
    {"linear", linear_kernel},           {"tanh", tanh_kernel},
    {"softmax", softmax_kernel},         {"weighted_sum", weighted_sum_kernel},
    {"matmul", matmul_kernel},           {"scale", scale_kernel},
    {"split_heads", split_heads_kernel}, {"merge_heads", merge_heads_kernel},
};

bool is_op(const Step& step, std::string_view name) { return step.op->name() == name; }

}  // namespace

Kernel kernel_for(const Graph& graph, const Step& step, const Parameters& parameters) {
  if (step.op->aliasing() == Aliasing::kReshape) return [](Workspace&) {};  // nothing to do
  for (const auto& [name, make] : kKernels) {
    if (is_op(step, name)) return make(graph, step, parameters);
  }
  return reference_kernel(graph, step, parameters);
}

Fusion fusion_at(const Graph& graph, size_t first, const Parameters& parameters) {
  // linear to one score, squeeze, softmax, weighted sum of the same rows: each row is read once.
  const std::vector<Step>& steps = graph.steps();
  if (first + 4 > steps.size()) return {};
  const Step &score = steps[first], &squeeze = steps[first + 1], &normalize = steps[first + 2],
             &combine = steps[first + 3];
  const bool fits = is_op(score, "linear") && graph.tensor(score.output).shape.back() == 1 &&
                    is_op(squeeze, "squeeze") && squeeze.inputs[0] == score.output &&
                    is_op(normalize, "softmax") && normalize.inputs[0] == squeeze.output &&
                    is_op(combine, "weighted_sum") && combine.inputs[0] == normalize.output &&
                    combine.inputs[1] == score.inputs[0];
  if (!fits) return {};

  const Shape& shape = graph.tensor(score.inputs[0]).shape;
  const int64_t B = shape[0], T = shape[1], E = shape[2];
  const float* vector = parameters[static_cast<size_t>(score.inputs[1])].data();
  const float bias = scalar_bias(score, parameters);
  const TensorId hidden_id = score.inputs[0], mask_id = normalize.inputs[1],
                 weights_id = normalize.output, output_id = combine.output;
  return {4, [=](Workspace& workspace) {
            const float* hidden = workspace.read(hidden_id);
            const float* mask = workspace.read(mask_id);
            float* weights = workspace.write(weights_id);
            float* out = workspace.write(output_id);
            parallel_for(B, 1, [&](int64_t begin, int64_t end) {
              for (int64_t b = begin; b < end; ++b) {
                kernels::score_and_pool(hidden + b * T * E, vector, bias,
                                        mask ? mask + b * T : nullptr, T, E, weights + b * T,
                                        out + b * E);
              }
            });
          }};
}

}  // namespace attnscope
