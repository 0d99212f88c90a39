#include "recurrent.h"

#include "wide.h"

namespace attnscope::kernels {
namespace {

/// work(first unit, count of units) for runs of at most kRun.
template <class Work>
void each_run(int64_t begin, int64_t end, Work work) {
  for (int64_t unit = begin; unit < end; unit += kRun) work(unit, std::min(kRun, end - unit));
}

// Loops with much to do are not unrolled: a page would load 1 kB more. Measured, it costs rows of
// 64 units and more 0 to 2 % of a run, and rows that end within a run of units up to 4 %.

/// Loads the gates of `count` units: those of the first unit are at `from`, `units` apart.
template <int kGates>
void load_gates(const float* from, int64_t units, int64_t count, Wide (&gates)[kGates]) {
#pragma clang loop unroll(disable)
  for (Wide& gate : gates) {
    load(from, count, gate);
    from += units;
  }
}

/// Stores them in the same places of `to`.
template <int kGates>
void store_gates(float* to, int64_t units, int64_t count, const Wide (&gates)[kGates]) {
#pragma clang loop unroll(disable)
  for (const Wide& gate : gates) {
    store(to, count, gate);
    to += units;
  }
}

/// Zeros where there is nothing.
void load_given(const float* from, int64_t unit, int64_t count, Wide& x) {
  if (from) return load(from + unit, count, x);
  for (Batch& value : x) value = Batch(0.0f);
}

void store_wanted(float* to, int64_t unit, int64_t count, const Wide& x) {
  if (to) store(to + unit, count, x);
}

/// sigmoid'(x) and tanh'(x), of what sigmoid and tanh are.
Batch sigmoid_slope(Batch y) { return y * (Batch(1.0f) - y); }
Batch tanh_slope(Batch y) { return (Batch(1.0f) - y) * (Batch(1.0f) + y); }

}  // namespace

void lstm_cell(const float* gates, const float* c, int64_t units, int64_t begin, int64_t end,
               float* h, float* c_after, float* activated) {
  each_run(begin, end, [=](int64_t unit, int64_t count) {
    Wide all[4], memory;
    auto& [in, forget, cell, out] = all;
    load_gates(gates + unit, units, count, all);
    load(c + unit, count, memory);
    sigmoid_of(in);
    sigmoid_of(forget);
    tanh_of(cell);
    sigmoid_of(out);
    if (activated) store_gates(activated + unit, units, count, all);
    for (int v = 0; v < kWide; ++v) memory[v] = madd(forget[v], memory[v], in[v] * cell[v]);
    store_wanted(c_after, unit, count, memory);
    if (!h) return;
    tanh_of(memory);
    for (int v = 0; v < kWide; ++v) out[v] *= memory[v];
    store(h + unit, count, out);
  });
}

void lstm_cell_gradient(const float* dh, const float* dc, const float* activated, const float* c,
                        int64_t units, int64_t begin, int64_t end, float* by_gates,
                        float* by_before) {
  each_run(begin, end, [=](int64_t unit, int64_t count) {
    Wide all[4], before, memory, by_h, by_c;
    auto& [in, forget, cell, out] = all;
    load_gates(activated + unit, units, count, all);
    load(c + unit, count, before);
    load_given(dh, unit, count, by_h);
    load_given(dc, unit, count, by_c);
    for (int v = 0; v < kWide; ++v) memory[v] = madd(forget[v], before[v], in[v] * cell[v]);
    tanh_of(memory);
#pragma clang loop unroll(disable)
    for (int v = 0; v < kWide; ++v) {
      const Batch by_memory = madd(by_h[v] * out[v], tanh_slope(memory[v]), by_c[v]);
      const Batch of_in = in[v];
      in[v] = by_memory * cell[v] * sigmoid_slope(of_in);
      cell[v] = by_memory * of_in * tanh_slope(cell[v]);
      out[v] = by_h[v] * memory[v] * sigmoid_slope(out[v]);
      by_c[v] = by_memory * forget[v];
      forget[v] = by_memory * before[v] * sigmoid_slope(forget[v]);
    }
    if (by_gates) store_gates(by_gates + unit, units, count, all);
    store_wanted(by_before, unit, count, by_c);
  });
}

void gru_cell(const float* x_gates, const float* h_gates, const float* h, int64_t units,
              int64_t begin, int64_t end, float* h_after, float* activated, float* fresh) {
  each_run(begin, end, [=](int64_t unit, int64_t count) {
    Wide from_h[3], from_x[3], before;
    auto& [reset, update, h_new] = from_h;
    auto& [x_reset, x_update, next] = from_x;
    load_gates(h_gates + unit, units, count, from_h);
    load_gates(x_gates + unit, units, count, from_x);
    load(h + unit, count, before);
#pragma clang loop unroll(disable)
    for (int v = 0; v < kWide; ++v) {
      reset[v] += x_reset[v];
      update[v] += x_update[v];
    }
    sigmoid_of(reset);
    sigmoid_of(update);
    for (int v = 0; v < kWide; ++v) next[v] = madd(reset[v], h_new[v], next[v]);
    tanh_of(next);
    if (activated) store_gates(activated + unit, units, count, from_h);
    store_wanted(fresh, unit, count, next);
    for (int v = 0; v < kWide; ++v) before[v] = madd(before[v] - next[v], update[v], next[v]);
    store_wanted(h_after, unit, count, before);
  });
}

void gru_cell_gradient(const float* dh, const float* activated, const float* fresh, const float* h,
                       int64_t units, int64_t begin, int64_t end, float* by_x_gates,
                       float* by_h_gates, float* by_before) {
  each_run(begin, end, [=](int64_t unit, int64_t count) {
    Wide all[3], next, before, by;
    auto& [reset, update, h_new] = all;
    load_gates(activated + unit, units, count, all);
    load(fresh + unit, count, next);
    load(h + unit, count, before);
    load_given(dh, unit, count, by);
#pragma clang loop unroll(disable)
    for (int v = 0; v < kWide; ++v) {
      const Batch by_sum = by[v] * (Batch(1.0f) - update[v]) * tanh_slope(next[v]);
      const Batch by_update = by[v] * (before[v] - next[v]) * sigmoid_slope(update[v]);
      const Batch by_reset = by_sum * h_new[v] * sigmoid_slope(reset[v]);
      by[v] *= update[v];
      next[v] = by_sum * reset[v];
      h_new[v] = by_sum;
      update[v] = by_update;
      reset[v] = by_reset;
    }
    if (by_x_gates) store_gates(by_x_gates + unit, units, count, all);
    std::copy_n(next, kWide, h_new);
    if (by_h_gates) store_gates(by_h_gates + unit, units, count, all);
    store_wanted(by_before, unit, count, by);
  });
}

}  // namespace attnscope::kernels
