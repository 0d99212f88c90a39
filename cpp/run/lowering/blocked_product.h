#pragma once

// Products of two tensors that steps make. Both sides are packed for the product in blocks, so that
// what is packed stays small however large they are.

#include <algorithm>

#include "../../kernels/gemm.h"
#include "../threads.h"
#include "../workspace.h"

namespace attnscope {

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
  /// The stride of turned rows: neighbours do not share the same lines of the cache.
  int64_t turned_stride() const {
    constexpr int64_t kLine = 16;
    return parts_of(terms, kLine) * kLine + kLine;
  }
};

/// One product, which all threads share.
class SharedProduct {
 public:
  SharedProduct(int64_t m, int64_t n, int64_t k, bool turned, Scratch& scratch)
      : blocks_(m, n, k, turned, kMost),
        panels_(scratch.shared<float>(blocks_.panel_floats())),
        turned_(scratch.shared<float>(turned ? blocks_.turned_floats() : 0)) {}

  /// `add`: to what is in c.
  void run(const Workspace& workspace, const Side& a, const Side& b, float* c,
           bool add = false) const;

 private:
  static constexpr int64_t kMost = 1 << 22;

  void pack(const Workspace& workspace, const Side& b, int64_t column, int64_t term, int64_t width,
            int64_t depth, double done) const;
  /// Rows of a as the product reads them.
  kernels::ConstRows turn(const Workspace& workspace, const Side& a, int64_t row, int64_t term,
                          int64_t height, int64_t depth, double done) const;
  void share(const Workspace& workspace, kernels::ConstRows a, bool add, kernels::Rows c, int64_t m,
             int64_t n, int64_t k) const;

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

  void run(const Workspace& workspace, const Side& a, const Side& b, float* c, int64_t part) const;

 private:
  static constexpr int64_t kMost = 1 << 17;  // which stay in the cache

  Blocks blocks_;
  Slot<float> panels_, turned_;
};

}  // namespace attnscope
