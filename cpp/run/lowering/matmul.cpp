// Products of two tensors that steps make, and those of gradients.

#include "../../ops/matmul.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "../../kernels/gemm.h"
#include "../../kernels/rows.h"
#include "../../kernels/sums.h"
#include "../../ops/arithmetic.h"
#include "../lowering.h"
#include "../threads.h"
#include "blocked_product.h"
#include "parts.h"
#include "product.h"
#include "visible.h"

namespace attnscope {
namespace {

/// Has each row of sums (M, N) = weights (M, K) values (K, N) hold of the keys those alone that its
/// query sees.
void leave_out_hidden_keys(const Band& band, const float* weights, const float* values, float* sums,
                           int64_t M, int64_t N, int64_t K) {
  for (int64_t m = 0; m < M; ++m) {
    const auto shows = [&](int64_t k) { return band.shows(m, k, K); };
    leave_out_hidden({values, N}, weights + m * K, K, N, shows, sums + m * N);
  }
}

Fusion shared_matmul(const Site& site, int64_t M, int64_t N, int64_t K) {
  const bool turned = site.op<Matmul>().right() == Matmul::Right::kPlain;
  const Band band = site.op<Matmul>().band();
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  Fusion fusion = site.alone({a, b});
  fusion.kernel = [=,
                   product = SharedProduct(M, N, K, false, fusion.scratch)](Workspace& workspace) {
    const float *left = workspace.read(a), *right = workspace.read(b);
    float* out = workspace.write(c);
    product.run(workspace, {left, K, false}, {right, turned ? N : K, turned}, out);
    if (turned && band.restricts()) leave_out_hidden_keys(band, left, right, out, M, N, K);
  };
  return fusion;
}

Fusion matmul(const Site& site) {
  const bool transposed = site.op<Matmul>().right() == Matmul::Right::kTransposed;
  const Shape& shape = site.output_shape();
  const int64_t N = shape.back(), M = shape[shape.size() - 2], K = site.input_shape(0).back();
  const int64_t batches = count_of(shape) / (M * N);
  if (reads_turned(site)) return {};  // linear.cpp does it
  // Batches that share b are so many more rows.
  if (batches == 1 || site.input_shape(1).size() < shape.size()) {
    return shared_matmul(site, batches * M, N, K);
  }
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  const Band band = transposed ? Band{} : site.op<Matmul>().band();
  Fusion fusion = site.alone({a, b});
  const auto packed = fusion.scratch.each_thread<float>(kernels::packed_size(N, K));
  fusion.kernel = [=](Workspace& workspace) {
    const float* left = workspace.read(a);
    const float* right = workspace.read(b);
    float* out = workspace.write(c);
    parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      float* panels = workspace.at(packed);
      for (int64_t i = begin; i < end; ++i) {
        const float *row = left + i * M * K, *matrix = right + i * K * N;
        float* to = out + i * M * N;
        if (transposed && M == 1) {  // not worth packing
          kernels::dot_rows({matrix, K}, row, 0.0f, N, K, to);
          continue;
        }
        const auto pack = transposed ? kernels::pack_transposed : kernels::pack_plain;
        pack(matrix, transposed ? K : N, N, K, panels);
        kernels::gemm({row, K}, {panels, K}, nullptr, {to, N}, M, N, K);
        if (band.restricts()) leave_out_hidden_keys(band, row, matrix, to, M, N, K);
      }
    });
  };
  return fusion;
}

/// aᵀ b where one of them has one column: the other's rows, weighted by it.
Fusion weighted_rows(const Site& site, int64_t K, int64_t N, int64_t rows) {
  const int64_t length = std::max(K, N);
  const TensorId weights_id = site.input(K == 1 ? 0 : 1), x = site.input(K == 1 ? 1 : 0),
                 y = site.output();
  Fusion fusion = site.alone({weights_id, x});
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kColumns = 32;  // of a task
    const float* weights = workspace.read(weights_id);
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(parts_of(length, kColumns), 1, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kColumns, columns = std::min(end * kColumns, length) - first;
      kernels::weighted_sum({from + first, length}, weights, rows, columns, to + first);
    });
  };
  return fusion;
}

Fusion transposed_matmul(const Site& site) {
  const Shape &left = site.input_shape(0), &right = site.input_shape(1);
  const int64_t K = left.back(), N = right.back(), rows = count_of(left) / K;
  const bool sums = site.op<TransposedMatmul>().batches() == TransposedMatmul::Batches::kSum;
  const int64_t M = sums ? rows : left[left.size() - 2].size, batches = rows / M;
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  if (batches == 1 && std::min(K, N) == 1) return weighted_rows(site, K, N, rows);
  Fusion fusion = site.alone({a, b});
  if (batches == 1) {
    fusion.kernel = [=,
                     product = SharedProduct(K, N, M, true, fusion.scratch)](Workspace& workspace) {
      product.run(workspace, {workspace.read(a), K, true}, {workspace.read(b), N, true},
                  workspace.write(c));
    };
    return fusion;
  }
  fusion.kernel = [=, product = OwnProduct(K, N, M, fusion.scratch)](Workspace& workspace) {
    const float* from = workspace.read(a);
    const float* other = workspace.read(b);
    float* to = workspace.write(c);
    const int64_t parts = product.parts();
    parallel_for(batches * parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t i = task / parts;
        product.run(workspace, {from + i * M * K, K, true}, {other + i * M * N, N, true},
                    to + i * K * N, task % parts);
      }
    });
  };
  return fusion;
}

/// A product aᵀ b in the sum that is the gradient of a weight which several steps of the forward
/// pass read.
struct Summand {
  TensorId a, b;
  TensorId sum;  // the sum before this product is added; kNoTensor before the first
  int64_t rows;
};

/// The step that makes a product aᵀ b for a sum alone; nullptr where `id` is something else.
const Step* summed_product(const Site& site, TensorId id) {
  const Step* step = site.steps.producer(id);
  const auto* product = step ? dynamic_cast<const TransposedMatmul*>(step->op.get()) : nullptr;
  const bool sums = product && product->batches() == TransposedMatmul::Batches::kSum;
  if (!sums || site.steps.reads(id) > 1) return nullptr;
  const Shape& shape = site.shape(id);
  return std::min(shape[0], shape[1]) > 1 ? step : nullptr;  // weighted_rows() does others
}

/// Whether a step adds such a product to what there is.
bool adds_product(const Site& site, const Step* step) {
  return step && dynamic_cast<const Add*>(step->op.get()) &&
         summed_product(site, step->inputs[1]) &&
         site.shape(step->inputs[0]) == site.shape(step->output);
}

/// The last summands of a sum, the newest first, without those that an earlier step sums because
/// they have enough rows for a product; none where a later step adds further summands to these.
std::vector<Summand> last_summands(const Site& site) {
  constexpr int64_t kRows = 512;  // to read and write the sum takes a tenth of such a product
  std::vector<Summand> last;
  const auto take = [&](TensorId id, TensorId sum) {
    const Step& step = *site.steps.producer(id);
    const int64_t rows = count_of(site.shape(step.inputs[0])) / site.shape(id)[0];
    last.push_back({step.inputs[0], step.inputs[1], sum, rows});
  };
  TensorId sum = site.output();
  const Step* step = &site.step();
  while (adds_product(site, step)) {
    sum = step->inputs[0];
    take(step->inputs[1], sum);
    step = site.steps.reads(sum) == 1 ? site.steps.producer(sum) : nullptr;
  }
  if (last.empty()) return {};
  if (summed_product(site, sum)) take(sum, kNoTensor);
  int64_t rows = 0;
  for (size_t i = last.size(); i-- > 0; rows += last[i].rows) {
    if (rows < kRows) continue;
    last.erase(last.begin() + static_cast<std::ptrdiff_t>(i) + 1, last.end());
    rows = 0;
  }
  const auto goes_on = [&](const Step* next) {
    return next->inputs[0] == site.output() && adds_product(site, next);
  };
  const bool alone = site.steps.reads(site.output()) == 1;
  if (rows < kRows && alone && std::ranges::any_of(site.steps.after(site.index), goes_on))
    return {};
  return last;
}

/// A sum of products aᵀ b as a single product: their rows are copied one behind another.
Fusion sum_of_products(const Site& site) {
  std::vector<Summand> summands = last_summands(site);
  if (summands.size() < 2) return {};
  const int64_t K = site.output_shape()[0], N = site.output_shape()[1];
  const TensorId sum = summands.back().sum;
  Fusion fusion = site.alone({});
  if (sum != kNoTensor) fusion.reads.push_back(sum);
  int64_t rows = 0;
  for (const Summand& summand : summands) {
    fusion.reads.push_back(summand.a);
    fusion.reads.push_back(summand.b);
    rows += summand.rows;
  }
  fusion.earlier = static_cast<double>(rows * K) * static_cast<double>(N);
  const auto left = fusion.scratch.shared<float>(rows * K);
  const auto right = fusion.scratch.shared<float>(rows * N);
  const SharedProduct product(K, N, rows, true, fusion.scratch);
  fusion.kernel = [=, summands = std::move(summands), c = site.output()](Workspace& workspace) {
    float *a = workspace.at(left), *b = workspace.at(right), *to = workspace.write(c);
    for (const Summand& summand : summands) {
      a = std::copy_n(workspace.read(summand.a), summand.rows * K, a);
      b = std::copy_n(workspace.read(summand.b), summand.rows * N, b);
    }
    if (sum != kNoTensor) std::copy_n(workspace.read(sum), K * N, to);
    product.run(workspace, {workspace.at(left), K, true}, {workspace.at(right), N, true}, to,
                sum != kNoTensor);
  };
  return fusion;
}

const Lowered<Matmul> kMatmul(matmul);
const Lowered<TransposedMatmul> kTransposedMatmul(transposed_matmul);
const Lowered<Add> kSumOfProducts(sum_of_products);

}  // namespace
}  // namespace attnscope
