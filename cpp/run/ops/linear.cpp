#include "../../kernels/gemm.h"
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
      kernels::dot_rows(from + begin * k, vector, bias, end - begin, k, scores + begin);
    });
  };
}

}  // namespace

Kernel linear_kernel(const Site& site) {
  const Shape& weight = site.input_shape(1);
  const int64_t n = weight[0], k = weight[1], m = count_of(site.output_shape()) / n;
  if (n == 1) return score_kernel(site, m, k);

  const PackedWeights::Packed packed = site.packed.get(site.graph.tensor(site.input(1)).name, [&] {
    std::vector<float> panels(static_cast<size_t>(kernels::packed_size(n, k)));
    kernels::pack_transposed(site.parameter(1), k, n, k, panels.data());
    return panels;
  });
  const float* bias = site.has_input(2) ? site.parameter(2) : nullptr;
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    constexpr int64_t kGrain = 60;  // whole tiles, whether they have 5 rows or 6
    const float* rows = workspace.read(x);
    float* out = workspace.write(y);
    parallel_for(m, kGrain, [&](int64_t begin, int64_t end) {
      kernels::gemm({rows + begin * k, k}, {packed->data(), k}, bias, {out + begin * n, n},
                    end - begin, n, k);
    });
  };
}

}  // namespace attnscope
