// Losses: one number for a batch. Sums are made in double, row by row or part by part, so that they
// do not depend on the number of threads.

#include "../../ops/loss.h"

#include <algorithm>

#include "../../kernels/softmax.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kPart = 4096;  // numbers

int64_t rows_of(const Shape& shape) { return count_of(shape) / shape.back(); }

const float* optional(const Workspace& workspace, TensorId id) {
  return id == kNoTensor ? nullptr : workspace.read(id);
}

Fusion log_softmax(const Site& site) {
  Fusion fusion = site.alone({site.input(0)});
  fusion.kernel = [x = site.input(0), y = site.output(), rows = rows_of(site.output_shape()),
                   length = site.output_shape().back().size](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        kernels::log_softmax(from + row * length, length, to + row * length);
      }
    });
  };
  return fusion;
}

Fusion log_softmax_gradient(const Site& site) {
  Fusion fusion = site.alone({site.input(0), site.input(1)});
  fusion.kernel = [y = site.input(0), dy = site.input(1), dx = site.output(),
                   rows = rows_of(site.output_shape()),
                   length = site.output_shape().back().size](Workspace& workspace) {
    const float *logs = workspace.read(y), *gradient = workspace.read(dy);
    float* to = workspace.write(dx);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t start = row * length;
        kernels::log_softmax_gradient(logs + start, gradient + start, length, to + start);
      }
    });
  };
  return fusion;
}

Fusion cross_entropy(const Site& site) {
  const CrossEntropyRule rule = site.op<CrossEntropy>().rule();
  const int64_t classes = site.input_shape(0).back(), rows = rows_of(site.input_shape(0));
  const int64_t each = count_of(site.input_shape(1)) / rows;
  const TensorId weight_id = site.optional_input(2);
  Fusion fusion = site.alone(site.step().inputs);
  const auto coefficients_slot = fusion.scratch.each_thread<float>(classes);
  const auto losses_slot = fusion.scratch.shared<double>(rows);
  fusion.kernel = [=, logs_id = site.input(0), target_id = site.input(1),
                   y = site.output()](Workspace& workspace) {
    const float *logs = workspace.read(logs_id), *target = workspace.read(target_id);
    const float* weight = optional(workspace, weight_id);
    double* losses = workspace.at(losses_slot);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      float* coefficients = workspace.at(coefficients_slot);
      for (int64_t row = begin; row < end; ++row) {
        rule.row(target + row * each, weight, classes, coefficients);
        double sum = 0.0;
        for (int64_t c = 0; c < classes; ++c) {
          if (coefficients[c] != 0.0f) {
            sum +=
                static_cast<double>(coefficients[c]) * static_cast<double>(logs[row * classes + c]);
          }
        }
        losses[row] = sum;
      }
    });
    double sum = 0.0;
    for (int64_t row = 0; row < rows; ++row) sum += losses[row];
    *workspace.write(y) = static_cast<float>(sum / rule.divisor(target, weight, rows));
  };
  return fusion;
}

Fusion cross_entropy_gradient(const Site& site) {
  const CrossEntropyRule rule = site.op<CrossEntropyGradient>().rule();
  const int64_t classes = site.output_shape().back(), rows = rows_of(site.output_shape());
  const int64_t each = count_of(site.input_shape(2)) / rows;
  const TensorId weight_id = site.optional_input(3);
  std::vector<TensorId> reads = site.step().inputs;
  reads.erase(reads.begin() + 1);  // of the log-probabilities only the shape matters
  Fusion fusion = site.alone(std::move(reads));
  fusion.kernel = [=, g = site.input(0), target_id = site.input(2),
                   y = site.output()](Workspace& workspace) {
    const float* target = workspace.read(target_id);
    const float* weight = optional(workspace, weight_id);
    const auto factor = static_cast<float>(
        rule.gradient_of_row(static_cast<double>(*workspace.read(g)), target, weight, rows));
    float* to = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        float* out = to + row * classes;
        rule.row(target + row * each, weight, classes, out);
        for (int64_t c = 0; c < classes; ++c) out[c] *= factor;
      }
    });
  };
  return fusion;
}

Fusion pointwise_loss(const Site& site) {
  const PointwiseRule rule = site.op<PointwiseLoss>().rule();
  const int64_t count = count_of(site.input_shape(0)), parts = parts_of(count, kPart);
  Fusion fusion = site.alone({site.input(0), site.input(1)});
  const auto slot = fusion.scratch.shared<double>(parts);
  fusion.kernel = [=, x_id = site.input(0), target_id = site.input(1),
                   y = site.output()](Workspace& workspace) {
    const float *x = workspace.read(x_id), *target = workspace.read(target_id);
    double* sums = workspace.at(slot);
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        double sum = 0.0;
        for (int64_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          sum += rule.loss(static_cast<double>(x[i]), static_cast<double>(target[i]));
        }
        sums[part] = sum;
      }
    });
    double sum = 0.0;
    for (int64_t part = 0; part < parts; ++part) sum += sums[part];
    *workspace.write(y) = static_cast<float>(sum / rule.divisor(static_cast<Count>(count)));
  };
  return fusion;
}

Fusion pointwise_loss_gradient(const Site& site) {
  const PointwiseRule rule = site.op<PointwiseLossGradient>().rule();
  const int64_t count = count_of(site.output_shape());
  Fusion fusion = site.alone(site.step().inputs);
  fusion.kernel = [=, g = site.input(0), x_id = site.input(1), target_id = site.input(2),
                   y = site.output()](Workspace& workspace) {
    const float *x = workspace.read(x_id), *target = workspace.read(target_id);
    const double factor =
        static_cast<double>(*workspace.read(g)) / rule.divisor(static_cast<Count>(count));
    float* to = workspace.write(y);
    parallel_for(count, kPart, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const double slope =
            rule.derivative(static_cast<double>(x[i]), static_cast<double>(target[i]));
        to[i] = static_cast<float>(factor * slope);
      }
    });
  };
  return fusion;
}

Fusion constant(const Site& site) {
  Fusion fusion = site.alone({});
  fusion.kernel = [value = static_cast<float>(site.op<Constant>().value()),
                   y = site.output()](Workspace& workspace) { *workspace.write(y) = value; };
  return fusion;
}

const Lowered<LogSoftmax> kLogSoftmax(log_softmax);
const Lowered<LogSoftmaxGradient> kLogSoftmaxGradient(log_softmax_gradient);
const Lowered<CrossEntropy> kCrossEntropy(cross_entropy);
const Lowered<CrossEntropyGradient> kCrossEntropyGradient(cross_entropy_gradient);
const Lowered<PointwiseLoss> kPointwiseLoss(pointwise_loss);
const Lowered<PointwiseLossGradient> kPointwiseLossGradient(pointwise_loss_gradient);
const Lowered<Constant> kConstant(constant);

}  // namespace
}  // namespace attnscope
