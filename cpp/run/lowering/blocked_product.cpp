#include "blocked_product.h"

#include "parts.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 1 << 14;  // numbers that are packed
constexpr double kPacked = 0.1;      // the share of a product's time that packing takes

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

}  // namespace

void SharedProduct::run(const Workspace& workspace, const Side& a, const Side& b, float* c,
                        bool add) const {
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
        const kernels::ConstRows left = turn(workspace, a, row, term, height, depth, done / count);
        const WatchedPart part((done + kPacked) / count, (done + 1) / count);
        share(workspace, left, add || term > 0, {c + row * n + column, n}, height, width, depth);
      }
    }
  }
}

void SharedProduct::pack(const Workspace& workspace, const Side& b, int64_t column, int64_t term,
                         int64_t width, int64_t depth, double done) const {
  const WatchedPart part(done, done);
  float* panels = workspace.at(panels_);
  parallel_for(parts_of(width, kernels::kPanel), parts_of(kGrain, depth * kernels::kPanel),
               [&](int64_t begin, int64_t end) {
                 pack_panels(b, column, term, width, depth, begin, end, panels);
               });
}

kernels::ConstRows SharedProduct::turn(const Workspace& workspace, const Side& a, int64_t row,
                                       int64_t term, int64_t height, int64_t depth,
                                       double done) const {
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

void SharedProduct::share(const Workspace& workspace, kernels::ConstRows a, bool add,
                          kernels::Rows c, int64_t m, int64_t n, int64_t k) const {
  const float* panels = workspace.at(panels_);
  Parts(m, n, k, false)
      .share(
          false, Order::kForwards, [](int64_t, int64_t) {},
          [&](int64_t row, int64_t rows, int64_t begin, int64_t end) {
            multiply(kernels::from_row(a, row), {panels + begin * k, k}, add,
                     {c.data + row * c.stride + begin, c.stride}, rows, end - begin, k);
          });
}

void OwnProduct::run(const Workspace& workspace, const Side& a, const Side& b, float* c,
                     int64_t part) const {
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

}  // namespace attnscope
