// Cells of recurrent layers beside their products.

#include "../../ops/recurrent.h"

#include <algorithm>

#include "../../kernels/recurrent.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// work(row, first unit, end of units) for parts of a state's rows, which threads share.
template <class Work>
void each_part(int64_t rows, int64_t units, Work work) {
  constexpr int64_t kUnits = 64, kGrain = 2048;  // of a part, and of what a thread takes at once
  const int64_t parts = parts_of(units, kUnits);
  parallel_for(rows * parts, parts_of(kGrain, std::min(units, kUnits)),
               [&](int64_t begin, int64_t end) {
                 while (begin < end) {
                   const int64_t row = begin / parts, first = begin % parts;
                   const int64_t last = std::min(parts, first + end - begin);
                   work(row, first * kUnits, std::min(last * kUnits, units));
                   begin += last - first;
                 }
               });
}

/// A row of what an optional input or output has; nullptr where there is none.
template <class Number>
Number* row_of(Number* from, int64_t row, int64_t length) {
  return from ? from + row * length : nullptr;
}

/// Where an output is to be written; nullptr where nothing reads it.
struct Wanted {
  Wanted(const Site& site, size_t output)
      : id(site.steps.reads(site.output(output)) > 0 ? site.output(output) : kNoTensor) {}
  float* write(Workspace& workspace) const {
    return id == kNoTensor ? nullptr : workspace.write(id);
  }
  TensorId id;
};

const float* read_optional(const Workspace& workspace, TensorId id) {
  return id == kNoTensor ? nullptr : workspace.read(id);
}

Fusion lstm_cell(const Site& site) {
  const TensorId gates = site.input(0), c = site.input(1);
  const Wanted hidden(site, LstmCell::kHidden), memory(site, LstmCell::kMemory),
      activated(site, LstmCell::kActivated);
  const int64_t units = site.input_shape(1).back(), rows = count_of(site.input_shape(1)) / units;
  Fusion fusion = site.alone({gates, c});
  fusion.kernel = [=](Workspace& workspace) {
    const float *from = workspace.read(gates), *before = workspace.read(c);
    float *h = hidden.write(workspace), *after = memory.write(workspace),
          *kept = activated.write(workspace);
    each_part(rows, units, [=](int64_t row, int64_t begin, int64_t end) {
      kernels::lstm_cell(from + row * 4 * units, before + row * units, units, begin, end,
                         row_of(h, row, units), row_of(after, row, units),
                         row_of(kept, row, 4 * units));
    });
  };
  return fusion;
}

Fusion lstm_cell_gradient(const Site& site) {
  const auto& op = site.op<LstmCellGradient>();
  const TensorId by_hidden = op.by_hidden() ? site.input(0) : kNoTensor,
                 by_memory = op.by_memory() ? site.input(op.memory_gradient()) : kNoTensor,
                 gates = site.input(op.activated()), c = site.input(op.before());
  const Wanted by_gates(site, 0), by_before(site, 1);
  const int64_t units = site.shape(c).back(), rows = count_of(site.shape(c)) / units;
  Fusion fusion = site.alone(site.step().inputs);
  fusion.kernel = [=](Workspace& workspace) {
    const float *dh = read_optional(workspace, by_hidden),
                *dc = read_optional(workspace, by_memory), *activated = workspace.read(gates),
                *before = workspace.read(c);
    float *to_gates = by_gates.write(workspace), *to_before = by_before.write(workspace);
    each_part(rows, units, [=](int64_t row, int64_t begin, int64_t end) {
      kernels::lstm_cell_gradient(row_of(dh, row, units), row_of(dc, row, units),
                                  activated + row * 4 * units, before + row * units, units, begin,
                                  end, row_of(to_gates, row, 4 * units),
                                  row_of(to_before, row, units));
    });
  };
  return fusion;
}

Fusion gru_cell(const Site& site) {
  const TensorId x_gates = site.input(0), h_gates = site.input(1), h = site.input(2);
  const Wanted hidden(site, GruCell::kHidden), activated(site, GruCell::kActivated),
      fresh(site, GruCell::kNew);
  const int64_t units = site.input_shape(2).back(), rows = count_of(site.input_shape(2)) / units;
  Fusion fusion = site.alone({x_gates, h_gates, h});
  fusion.kernel = [=](Workspace& workspace) {
    const float *x = workspace.read(x_gates), *from = workspace.read(h_gates),
                *before = workspace.read(h);
    float *after = hidden.write(workspace), *kept = activated.write(workspace),
          *n = fresh.write(workspace);
    each_part(rows, units, [=](int64_t row, int64_t begin, int64_t end) {
      const int64_t gate = row * 3 * units;
      kernels::gru_cell(x + gate, from + gate, before + row * units, units, begin, end,
                        row_of(after, row, units), row_of(kept, row, 3 * units),
                        row_of(n, row, units));
    });
  };
  return fusion;
}

Fusion gru_cell_gradient(const Site& site) {
  const TensorId by_hidden = site.input(0), gates = site.input(1), fresh = site.input(2),
                 h = site.input(3);
  const Wanted by_x(site, 0), by_h(site, 1), by_before(site, 2);
  const int64_t units = site.shape(h).back(), rows = count_of(site.shape(h)) / units;
  Fusion fusion = site.alone(site.step().inputs);
  fusion.kernel = [=](Workspace& workspace) {
    const float *dh = workspace.read(by_hidden), *activated = workspace.read(gates),
                *n = workspace.read(fresh), *before = workspace.read(h);
    float *to_x = by_x.write(workspace), *to_h = by_h.write(workspace),
          *to_before = by_before.write(workspace);
    each_part(rows, units, [=](int64_t row, int64_t begin, int64_t end) {
      kernels::gru_cell_gradient(row_of(dh, row, units), activated + row * 3 * units,
                                 n + row * units, before + row * units, units, begin, end,
                                 row_of(to_x, row, 3 * units), row_of(to_h, row, 3 * units),
                                 row_of(to_before, row, units));
    });
  };
  return fusion;
}

const Lowered<LstmCell> kLstmCell(lstm_cell);
const Lowered<LstmCellGradient> kLstmCellGradient(lstm_cell_gradient);
const Lowered<GruCell> kGruCell(gru_cell);
const Lowered<GruCellGradient> kGruCellGradient(gru_cell_gradient);

}  // namespace
}  // namespace attnscope
