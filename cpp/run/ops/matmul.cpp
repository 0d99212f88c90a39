#include "../../ops/matmul.h"

#include "../../kernels/gemm.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {

Kernel matmul_kernel(const Site& site) {
  const bool transposed = site.op<Matmul>().right() == Matmul::Right::kTransposed;
  const Shape& shape = site.output_shape();
  const int64_t N = shape.back(), M = shape[shape.size() - 2], K = site.input_shape(0).back();
  const bool shared = site.input_shape(1).size() < shape.size();
  // Batches that share b are so many more rows.
  const int64_t rows = shared ? count_of(shape) / N : M, batches = count_of(shape) / (rows * N);
  return [=, a = site.input(0), b = site.input(1), c = site.step.output](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* out = workspace.write(c);
    parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      std::vector<float> packed(static_cast<size_t>(kernels::packed_size(N, K)));
      for (int64_t i = begin; i < end; ++i) {
        const auto pack = transposed ? kernels::pack_transposed : kernels::pack_plain;
        pack(right + i * K * N, transposed ? K : N, N, K, packed.data());
        kernels::gemm({left + i * rows * K, K}, {packed.data(), K}, nullptr,
                      {out + i * rows * N, N}, rows, N, K);
      }
    });
  };
}

}  // namespace attnscope
