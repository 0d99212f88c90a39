#include "../../ops/matmul.h"

#include "../../kernels/gemm.h"
#include "../lowering.h"
#include "../threads.h"
#include "parts.h"

namespace attnscope {
namespace {

/// Panels of a right-hand side that all threads share.
class SharedPanels {
 public:
  SharedPanels(int64_t n, int64_t k, Scratch& scratch)
      : n_(n), slot_(scratch.shared<float>(kernels::packed_size(n, k))) {}

  /// Packs b, which is (terms, n), or where it is `transposed` (n, terms); terms are at most k.
  void pack(const Workspace& workspace, const float* b, bool transposed, int64_t terms) const {
    float* panels = workspace.at(slot_);
    parallel_for(n_, kernels::kPanel, [&](int64_t begin, int64_t end) {
      float* to = panels + begin * terms;
      if (transposed) {
        kernels::pack_transposed(b + begin * terms, terms, end - begin, terms, to);
      } else {
        kernels::pack_plain(b + begin, n_, end - begin, terms, to);
      }
    });
  }

  /// c (rows, n) of a (rows, terms), whose rows are `stride` apart; added to what is in c, or not.
  void multiply(const Workspace& workspace, const float* a, int64_t stride, int64_t rows,
                int64_t terms, bool add, float* c) const {
    const float* panels = workspace.at(slot_);
    Parts(n_, terms, rows, false)
        .share(
            false, [](int64_t, int64_t) {},
            [&](int64_t first, int64_t count, int64_t begin, int64_t end) {
              const kernels::ConstRows from{a + first * stride, stride};
              const kernels::Panels packed{panels + begin * terms, terms};
              const kernels::Rows to{c + first * n_ + begin, n_};
              if (add) {
                kernels::gemm_add(from, packed, to, count, end - begin, terms);
              } else {
                kernels::gemm(from, packed, nullptr, to, count, end - begin, terms);
              }
            });
  }

 private:
  int64_t n_;
  Slot<float> slot_;
};

/// A right-hand side that all batches share: they are so many more rows.
Fusion shared_matmul(const Site& site, bool transposed) {
  const Shape& shape = site.output_shape();
  const int64_t N = shape.back(), K = site.input_shape(0).back(), rows = count_of(shape) / N;
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  Fusion fusion = site.alone({a, b});
  const SharedPanels panels(N, K, fusion.scratch);
  fusion.kernel = [=](Workspace& workspace) {
    float* out = workspace.write(c);
    panels.pack(workspace, workspace.read(b), transposed, K);
    panels.multiply(workspace, workspace.read(a), K, rows, K, false, out);
  };
  return fusion;
}

Fusion matmul(const Site& site) {
  const bool transposed = site.op<Matmul>().right() == Matmul::Right::kTransposed;
  const Shape& shape = site.output_shape();
  if (site.input_shape(1).size() < shape.size() || shape.size() == 2) {
    return shared_matmul(site, transposed);
  }
  const int64_t N = shape.back(), M = shape[shape.size() - 2], K = site.input_shape(0).back();
  const int64_t batches = count_of(shape) / (M * N);
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
        kernels::gemm({left + i * M * K, K}, {panels, K}, nullptr, {out + i * M * N, N}, M, N, K);
      }
    });
  };
  return fusion;
}

/// The sum of all batches, whose rows are the terms: a block of them after the other.
Fusion summed_transposed_matmul(const Site& site) {
  constexpr int64_t kTerms = 768;  // of a block
  const Shape &a_shape = site.input_shape(0), &b_shape = site.input_shape(1);
  const int64_t M = a_shape.back(), N = b_shape.back(), terms = count_of(a_shape) / M;
  const int64_t most = std::min(terms, kTerms);
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  Fusion fusion = site.alone({a, b});
  const SharedPanels panels(N, most, fusion.scratch);
  const auto left_slot = fusion.scratch.shared<float>(Count{M} * most);
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kColumns = 16;
    const float *left = workspace.read(a), *right = workspace.read(b);
    float* rows = workspace.at(left_slot);
    float* out = workspace.write(c);
    for (int64_t first = 0; first < terms; first += most) {
      const int64_t count = std::min(most, terms - first);
      parallel_for(M, kColumns, [&](int64_t begin, int64_t end) {
        kernels::transpose(left + first * M + begin, M, count, end - begin, rows + begin * count,
                           count);
      });
      panels.pack(workspace, right + first * N, false, count);
      panels.multiply(workspace, rows, count, M, count, first > 0, out);
    }
  };
  return fusion;
}

Fusion transposed_matmul(const Site& site) {
  if (site.op<TransposedMatmul>().batches() == TransposedMatmul::Batches::kSum) {
    return summed_transposed_matmul(site);
  }
  const Shape &a_shape = site.input_shape(0), &b_shape = site.input_shape(1);
  const int64_t K = a_shape[a_shape.size() - 2], M = a_shape.back(), N = b_shape.back();
  const int64_t batches = count_of(a_shape) / (K * M);
  const TensorId a = site.input(0), b = site.input(1), c = site.output();
  Fusion fusion = site.alone({a, b});
  const auto packed = fusion.scratch.each_thread<float>(kernels::packed_size(N, K));
  const auto left_slot = fusion.scratch.each_thread<float>(Count{M} * K);
  fusion.kernel = [=](Workspace& workspace) {
    const float *left = workspace.read(a), *right = workspace.read(b);
    float* out = workspace.write(c);
    parallel_for(batches, 1, [&](int64_t begin, int64_t end) {
      float *panels = workspace.at(packed), *rows = workspace.at(left_slot);
      for (int64_t i = begin; i < end; ++i) {
        kernels::transpose(left + i * K * M, M, K, M, rows, K);
        kernels::pack_plain(right + i * K * N, N, N, K, panels);
        kernels::gemm({rows, K}, {panels, K}, nullptr, {out + i * M * N, N}, M, N, K);
      }
    });
  };
  return fusion;
}

const Lowered<TransposedMatmul> kTransposed(transposed_matmul);
const Lowered<Matmul> kRegistered(matmul);

}  // namespace
}  // namespace attnscope
