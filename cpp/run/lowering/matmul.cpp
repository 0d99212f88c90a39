// Products of two tensors that steps make, and those of gradients. Both sides are packed for the
// product in blocks, so that what is packed stays small however large they are.

#include "../../ops/matmul.h"

#include <algorithm>

#include "../../kernels/gemm.h"
#include "../../kernels/rows.h"
#include "../../kernels/sums.h"
#include "../lowering.h"
#include "../threads.h"
#include "parts.h"
#include "visible.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 1 << 14;  // numbers that are packed

/// A matrix that lies as its product reads it, or transposed.
struct Side {
  const float* data;
  int64_t stride;
  bool turned;

  /// Where the block begins that has this row, or column, and this term.
  const float* at(int64_t index, int64_t term) const {
    return data + (turned ? term * stride + index : index * stride + term);
  }
};

/// c (m, n) = a (m, k) bᵀ (n, k), where each side may lie transposed, in blocks of the terms, and
/// of rows and columns where they are many.
struct Blocks {
  int64_t m, n, k;
  int64_t rows, columns, terms;  // of a block

  /// `most`: floats of a side that are packed at once.
  Blocks(int64_t m_, int64_t n_, int64_t k_, bool turned, int64_t most) : m(m_), n(n_), k(k_) {
    constexpr int64_t kTerms = 768;
    constexpr int64_t kRows = 30;  // whole tiles, be they of 5 rows or 6
    terms = even_part(k, kTerms, 4);
    columns = even_part(n, std::max(most / terms, kernels::kPanel), kernels::kPanel);
    rows = turned ? even_part(m, std::max(most / terms, kRows), kRows) : m;
  }

  int64_t panel_floats() const { return kernels::packed_size(std::min(columns, n), terms); }
  int64_t turned_floats() const { return std::min(rows, m) * turned_stride(); }
  /// Of turned rows: such that neighbours do not share the same lines of the cache.
  int64_t turned_stride() const {
    constexpr int64_t kLine = 16;
    return parts_of(terms, kLine) * kLine + kLine;
  }
};

/// The panels [begin, end) of a block of b that begins at this column and term.
void pack_panels(const Side& b, int64_t column, int64_t term, int64_t count, int64_t depth,
                 int64_t begin, int64_t end, float* panels) {
  const int64_t first = begin * kernels::kPanel;
  const int64_t columns = std::min(end * kernels::kPanel, count) - first;
  const auto pack = b.turned ? kernels::pack_plain : kernels::pack_transposed;
  pack(b.at(column + first, term), b.stride, columns, depth, panels + first * depth);
}

void multiply(kernels::ConstRows a, kernels::Panels b, bool add, kernels::Rows c, int64_t m,
              int64_t n, int64_t k) {
  if (add) {
    kernels::gemm_add(a, b, c, m, n, k);
  } else {
    kernels::gemm(a, b, nullptr, c, m, n, k);
  }
}

/// One product, which all threads share.
class SharedProduct {
 public:
  SharedProduct(int64_t m, int64_t n, int64_t k, bool turned, Scratch& scratch)
      : blocks_(m, n, k, turned, kMost),
        panels_(scratch.shared<float>(blocks_.panel_floats())),
        turned_(scratch.shared<float>(turned ? blocks_.turned_floats() : 0)) {}

  void run(const Workspace& workspace, const Side& a, const Side& b, float* c) const {
    const auto& [m, n, k, rows, columns, terms] = blocks_;
    const auto count =
        static_cast<double>(parts_of(k, terms) * parts_of(n, columns) * parts_of(m, rows));
    double done = 0;
    for (int64_t term = 0; term < k; term += terms) {
      const int64_t depth = std::min(terms, k - term);
      for (int64_t column = 0; column < n; column += columns) {
        const int64_t width = std::min(columns, n - column);
        pack(workspace, b, column, term, width, depth, done / count);
        for (int64_t row = 0; row < m; row += rows, ++done) {
          const int64_t height = std::min(rows, m - row);
          const kernels::ConstRows left =
              turn(workspace, a, row, term, height, depth, done / count);
          const WatchedPart part((done + kPacked) / count, (done + 1) / count);
          share(workspace, left, term > 0, {c + row * n + column, n}, height, width, depth);
        }
      }
    }
  }

 private:
  static constexpr int64_t kMost = 1 << 22;
  static constexpr double kPacked = 0.1;  // the share of its time that packing takes

  void pack(const Workspace& workspace, const Side& b, int64_t column, int64_t term, int64_t width,
            int64_t depth, double done) const {
    const WatchedPart part(done, done);
    float* panels = workspace.at(panels_);
    parallel_for(parts_of(width, kernels::kPanel), parts_of(kGrain, depth * kernels::kPanel),
                 [&](int64_t begin, int64_t end) {
                   pack_panels(b, column, term, width, depth, begin, end, panels);
                 });
  }

  /// Rows of a as the product reads them.
  kernels::ConstRows turn(const Workspace& workspace, const Side& a, int64_t row, int64_t term,
                          int64_t height, int64_t depth, double done) const {
    if (!a.turned) return {a.at(row, term), a.stride};
    constexpr int64_t kRows = 16;  // a cache line of each row of a
    const WatchedPart part(done, done);
    float* to = workspace.at(turned_);
    const int64_t stride = blocks_.turned_stride();
    parallel_for(height, parts_of(kGrain, depth * kRows) * kRows, [&](int64_t begin, int64_t end) {
      kernels::turn({a.at(row + begin, term), a.stride}, depth, end - begin,
                    {to + begin * stride, stride});
    });
    return {to, stride};
  }

  void share(const Workspace& workspace, kernels::ConstRows a, bool add, kernels::Rows c, int64_t m,
             int64_t n, int64_t k) const {
    const float* panels = workspace.at(panels_);
    Parts(m, n, k, false)
        .share(
            false, [](int64_t, int64_t) {},
            [&](int64_t row, int64_t rows, int64_t begin, int64_t end) {
              multiply(kernels::from_row(a, row), {panels + begin * k, k}, add,
                       {c.data + row * c.stride + begin, c.stride}, rows, end - begin, k);
            });
  }

  Blocks blocks_;
  Slot<float> panels_, turned_;
};

/// c (m, n) = aᵀ b of few terms, which one thread makes: rows [begin, end) of it.
class OwnProduct {
 public:
  OwnProduct(int64_t m, int64_t n, int64_t k, Scratch& scratch)
      : blocks_(m, n, k, true, kMost),
        panels_(scratch.each_thread<float>(blocks_.panel_floats())),
        turned_(scratch.each_thread<float>(blocks_.turned_floats())) {}

  /// Parts of the rows, each of which run() makes by itself.
  int64_t parts() const { return parts_of(blocks_.m, blocks_.rows); }

  void run(const Workspace& workspace, const Side& a, const Side& b, float* c, int64_t part) const {
    const auto& [m, n, k, rows, columns, terms] = blocks_;
    const int64_t row = part * rows, height = std::min(rows, m - row);
    const int64_t stride = blocks_.turned_stride();
    float *panels = workspace.at(panels_), *turned = workspace.at(turned_);
    for (int64_t term = 0; term < k; term += terms) {
      const int64_t depth = std::min(terms, k - term);
      kernels::turn({a.at(row, term), a.stride}, depth, height, {turned, stride});
      for (int64_t column = 0; column < n; column += columns) {
        const int64_t width = std::min(columns, n - column);
        pack_panels(b, column, term, width, depth, 0, parts_of(width, kernels::kPanel), panels);
        multiply({turned, stride}, {panels, depth}, term > 0, {c + row * n + column, n}, height,
                 width, depth);
      }
    }
  }

 private:
  static constexpr int64_t kMost = 1 << 17;  // which stay in the cache

  Blocks blocks_;
  Slot<float> panels_, turned_;
};

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

const Lowered<Matmul> kMatmul(matmul);
const Lowered<TransposedMatmul> kTransposedMatmul(transposed_matmul);

}  // namespace
}  // namespace attnscope
