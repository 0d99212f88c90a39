// Updates of parameters and of what an optimizer keeps: several of them go over the same numbers
// while these are in the cache.

#include "../../ops/optimizer.h"

#include <algorithm>

#include "../../kernels/optimizer.h"
#include "../../kernels/rows.h"
#include "../../kernels/sums.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kChunk = 4096;  // numbers that all updates of a fusion go over at once

float as_float(double number) { return static_cast<float>(number); }

/// One update of `count` numbers: where it reads, without the rates, and where it writes.
struct Operands {
  const float* in[3];
  float* out;
  const float* rates;
  int64_t count;
};
using Run = void (*)(const Op& op, const Operands& at);

void run_add_scaled(const Op& op, const Operands& at) {
  const auto factor = as_float(static_cast<const AddScaled&>(op).factor());
  kernels::add_scaled(at.in[0], at.in[1], factor, at.count, at.out);
}

void run_moving_average(const Op& op, const Operands& at) {
  const auto rest = as_float(1.0 - static_cast<const MovingAverage&>(op).beta());
  kernels::move_average(at.in[1], rest, at.count, at.out);
}

void run_moving_square(const Op& op, const Operands& at) {
  const double beta = static_cast<const MovingSquare&>(op).beta();
  kernels::move_square(at.in[1], as_float(beta), as_float(1.0 - beta), at.count, at.out);
}

void run_largest(const Op&, const Operands& at) {
  kernels::maximum(at.in[0], at.in[1], at.count, at.out);
}

void run_momentum(const Op& op, const Operands& at) {
  const auto& momentum = static_cast<const Momentum&>(op);
  if (at.rates[kIsFirst] != 0.0f) {
    std::copy_n(at.in[1], at.count, at.out);
    return;
  }
  kernels::scale(at.in[0], as_float(momentum.momentum()), at.count, at.out);
  kernels::add_scaled(at.out, at.in[1], as_float(1 - momentum.dampening()), at.count, at.out);
}

void run_rms_direction(const Op& op, const Operands& at) {
  const auto& rms = static_cast<const RmsDirection&>(op);
  kernels::rms_direction(at.in[0], at.in[1], rms.centred() ? at.in[2] : nullptr,
                         as_float(rms.eps()), at.count, at.out);
}

void run_descend(const Op&, const Operands& at) {
  kernels::add_scaled(at.in[0], at.in[1], -at.rates[kLearningRate], at.count, at.out);
}

void run_adam_step(const Op& op, const Operands& at) {
  kernels::adam_step(at.in[1], at.in[2],
                     {.kept = at.rates[kKept],
                      .step_size = at.rates[kStepSize],
                      .root_correction = at.rates[kRootCorrection],
                      .eps = as_float(static_cast<const AdamStep&>(op).eps())},
                     at.count, at.out);
}

Run run_of(const Op& op) {
  static const std::pair<const std::type_info*, Run> kRuns[] = {
      {&typeid(AddScaled), run_add_scaled},
      {&typeid(MovingAverage), run_moving_average},
      {&typeid(MovingSquare), run_moving_square},
      {&typeid(Largest), run_largest},
      {&typeid(Momentum), run_momentum},
      {&typeid(RmsDirection), run_rms_direction},
      {&typeid(Descend), run_descend},
      {&typeid(AdamStep), run_adam_step}};
  for (const auto& [type, run] : kRuns) {
    if (*type == typeid(op)) return run;
  }
  return nullptr;
}

struct PlannedUpdate {
  const Op* op;
  Run run;
  std::vector<TensorId> inputs;  // without the rates
  TensorId rates, output;
};

/// All updates from this step on that go over as many numbers: a parameter's.
Fusion updates(const Site& site) {
  const int64_t count = count_of(site.output_shape());
  Fusion fusion;
  std::vector<PlannedUpdate> planned;
  for (size_t i = site.index; i < site.steps.size(); ++i) {
    const Step& step = site.steps[i];
    const auto* update = dynamic_cast<const Update*>(step.op.get());
    if (!update || site.shape(step.output) != site.output_shape()) break;
    PlannedUpdate one{update, run_of(*update), step.inputs, kNoTensor, step.output};
    if (!one.run) break;
    if (update->has_rates()) {
      one.rates = one.inputs.back();
      one.inputs.pop_back();
    }
    fusion.reads.insert(fusion.reads.end(), step.inputs.begin(), step.inputs.end());
    fusion.writes.push_back(step.output);
    ++fusion.steps;
    planned.push_back(std::move(one));
  }
  fusion.kernel = [count, planned = std::move(planned)](Workspace& workspace) {
    parallel_for(count, kChunk, [&](int64_t first, int64_t last) {
      for (int64_t begin = first; begin < last; begin += kChunk) {
        for (const PlannedUpdate& one : planned) {
          Operands at{
              {}, workspace.write(one.output) + begin, nullptr, std::min(kChunk, last - begin)};
          for (size_t i = 0; i < one.inputs.size(); ++i) {
            at.in[i] = workspace.read(one.inputs[i]) + begin;
          }
          if (one.rates != kNoTensor) at.rates = workspace.read(one.rates);
          one.run(*one.op, at);
        }
      }
    });
  };
  return fusion;
}

/// The squares are summed in double, part by part, and the parts one after the other.
Fusion global_norm(const Site& site) {
  constexpr int64_t kPart = 1 << 16;
  Fusion fusion = site.alone(site.step().inputs);
  std::vector<int64_t> counts;
  int64_t most = 0;
  for (const TensorId input : site.step().inputs) {
    counts.push_back(count_of(site.shape(input)));
    most = std::max(most, parts_of(counts.back(), kPart));
  }
  const auto slot = fusion.scratch.shared<double>(most);
  fusion.kernel = [=, inputs = site.step().inputs, y = site.output()](Workspace& workspace) {
    double* sums = workspace.at(slot);
    double all = 0.0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const float* x = workspace.read(inputs[i]);
      const int64_t parts = parts_of(counts[i], kPart);
      parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          const int64_t first = part * kPart, length = std::min(kPart, counts[i] - first);
          sums[part] = kernels::sum_of_squares(x + first, length);
        }
      });
      for (int64_t part = 0; part < parts; ++part) all += sums[part];
    }
    *workspace.write(y) = as_float(std::sqrt(all));
  };
  return fusion;
}

Fusion clip_by_norm(const Site& site) {
  const auto& op = site.op<ClipByNorm>();
  Fusion fusion = site.alone({site.input(0), site.input(1)});
  fusion.kernel = [&op, x = site.input(0), norm = site.input(1), y = site.output(),
                   count = count_of(site.output_shape())](Workspace& workspace) {
    const float factor = as_float(op.factor(static_cast<double>(*workspace.read(norm))));
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(count, kChunk, [&](int64_t begin, int64_t end) {
      kernels::scale(from + begin, factor, end - begin, to + begin);
    });
  };
  return fusion;
}

const Lowered<AddScaled> kAddScaled(updates);
const Lowered<MovingAverage> kMovingAverage(updates);
const Lowered<MovingSquare> kMovingSquare(updates);
const Lowered<Largest> kLargest(updates);
const Lowered<Momentum> kMomentum(updates);
const Lowered<RmsDirection> kRmsDirection(updates);
const Lowered<Descend> kDescend(updates);
const Lowered<AdamStep> kAdamStep(updates);
const Lowered<GlobalNorm> kGlobalNorm(global_norm);
const Lowered<ClipByNorm> kClipByNorm(clip_by_norm);

}  // namespace
}  // namespace attnscope
