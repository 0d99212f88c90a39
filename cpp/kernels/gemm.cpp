// What gemm.h promises: packing, and the product of packed panels.

#include "gemm.h"

#include <algorithm>

#include "tile.h"
#include "vector.h"

namespace attnscope::kernels {
namespace {

struct PanelsInPlace {
  Panels b;
  Panels operator()(int64_t j, int64_t, int64_t p, int64_t) const {
    return {b.data + j * b.depth + p * kPanel, b.depth};
  }
};

/// Four rows of 4, `stride` apart, as four columns, kPanel apart.
inline void transpose(const float* from, int64_t stride, float* to) {
  Batch rows[] = {load(from), load(from + stride), load(from + 2 * stride),
                  load(from + 3 * stride)};
  const Batch a = xsimd::zip_lo(rows[0], rows[2]), b = xsimd::zip_lo(rows[1], rows[3]);
  const Batch c = xsimd::zip_hi(rows[0], rows[2]), d = xsimd::zip_hi(rows[1], rows[3]);
  store(to, xsimd::zip_lo(a, b));
  store(to + kPanel, xsimd::zip_hi(a, b));
  store(to + 2 * kPanel, xsimd::zip_lo(c, d));
  store(to + 3 * kPanel, xsimd::zip_hi(c, d));
}

}  // namespace

void pack_transposed(const float* b, int64_t stride, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel) {
    const int64_t width = std::min(kPanel, n - panel);
    const float* from = b + panel * stride;
    int64_t p = 0;
    if (width == kPanel) {
      for (; p + kLanes <= k; p += kLanes) {
        transpose(from + p, stride, packed + p * kPanel);
        transpose(from + kLanes * stride + p, stride, packed + p * kPanel + kLanes);
      }
    }
    for (; p < k; ++p) {
      for (int64_t j = 0; j < kPanel; ++j) {
        packed[p * kPanel + j] = j < width ? from[j * stride + p] : 0.0f;
      }
    }
    packed += kPanel * k;
  }
}

void pack_plain(const float* b, int64_t stride, int64_t n, int64_t k, float* packed) {
  for (int64_t panel = 0; panel < n; panel += kPanel) {
    const int64_t width = std::min(kPanel, n - panel);
    const float* from = b + panel;
    for (int64_t p = 0; p < k; ++p, from += stride, packed += kPanel) {
      if (width == kPanel) {
        store(packed, load(from));
        store(packed + kLanes, load(from + kLanes));
      } else {
        std::fill(std::copy_n(from, width, packed), packed + kPanel, 0.0f);
      }
    }
  }
}

void gemm(ConstRows a, Panels b, const float* bias, Rows c, int64_t m, int64_t n, int64_t k) {
  multiply(a, PanelsInPlace{b}, bias, false, c, m, n, k);
}

void gemm_add(ConstRows a, Panels b, Rows c, int64_t m, int64_t n, int64_t k) {
  multiply(a, PanelsInPlace{b}, nullptr, true, c, m, n, k);
}

}  // namespace attnscope::kernels
