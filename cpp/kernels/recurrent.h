#pragma once

// Cells of recurrent layers beside their products: formulas and the order of gates are those of
// ops/recurrent.h. One row of a batch, of which units [begin, end) are computed; what a unit gives
// does not depend on which others are computed with it.

#include <cstdint>

namespace attnscope::kernels {

/// h = sigmoid(o) tanh(c'), c' = sigmoid(f) c + sigmoid(i) tanh(g).
///
///   gates         (4 units,), i, f, g, o
///   c             (units,)
///   h, c_after    (units,); either may be nullptr, c_after may be c
///   activated     (4 units,), what the gates are after their activation; may be gates, or nullptr
void lstm_cell(const float* gates, const float* c, int64_t units, int64_t begin, int64_t end,
               float* h, float* c_after, float* activated);

/// Its gradient, for which tanh(c') is made anew.
///
///   dh, dc       (units,), by h and by c after; nullptr where there is none, which is zeros
///   activated    (4 units,)
///   c            (units,), before
///   by_gates     (4 units,); may be activated, or nullptr
///   by_before    (units,); may be dh or dc, or nullptr
void lstm_cell_gradient(const float* dh, const float* dc, const float* activated, const float* c,
                        int64_t units, int64_t begin, int64_t end, float* by_gates,
                        float* by_before);

/// h' = (h - n) z + n, n = tanh(x_n + r h_n), r = sigmoid(x_r + h_r), z = sigmoid(x_z + h_z).
///
///   x_gates, h_gates  (3 units,), r, z, n
///   h                 (units,)
///   h_after           (units,); may be h, or nullptr
///   activated         (3 units,), r, z, and h_n as it was; may be h_gates, or nullptr
///   fresh             (units,), n; or nullptr
void gru_cell(const float* x_gates, const float* h_gates, const float* h, int64_t units,
              int64_t begin, int64_t end, float* h_after, float* activated, float* fresh);

/// Its gradient.
///
///   dh                      (units,), by h after; nullptr where there is none, which is zeros
///   activated               (3 units,)
///   fresh, h                (units,), n and h before
///   by_x_gates, by_h_gates  (3 units,); either may be activated, or nullptr
///   by_before               (units,); may be dh, or nullptr
void gru_cell_gradient(const float* dh, const float* activated, const float* fresh, const float* h,
                       int64_t units, int64_t begin, int64_t end, float* by_x_gates,
                       float* by_h_gates, float* by_before);

}  // namespace attnscope::kernels
