#include "../../ops/matmul.h"

#include "../../kernels/gemm.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

Fusion matmul(const Site& site) {
  const bool transposed = site.op<Matmul>().right() == Matmul::Right::kTransposed;
  const Shape& shape = site.output_shape();
  const int64_t N = shape.back(), M = shape[shape.size() - 2], K = site.input_shape(0).back();
  const bool shared = site.input_shape(1).size() < shape.size();
  // Batches that share b are so many more rows.
  const int64_t rows = shared ? count_of(shape) / N : M, batches = count_of(shape) / (rows * N);
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  Fusion fusion = site.alone({a, b});
  const auto packed = fusion.scratch.each_thread<float>(kernels::packed_size(N, K));
  fusion.kernel = [=](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* out = workspace.write(c);
    parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      float* panels = workspace.at(packed);
      for (int64_t i = begin; i < end; ++i) {
        const auto pack = transposed ? kernels::pack_transposed : kernels::pack_plain;
        pack(right + i * K * N, transposed ? K : N, N, K, panels);
        kernels::gemm({left + i * rows * K, K}, {panels, K}, nullptr, {out + i * rows * N, N}, rows,
                      N, K);
      }
    });
  };
  return fusion;
}

const Lowered<Matmul> kRegistered(matmul);

}  // namespace
}  // namespace attnscope
