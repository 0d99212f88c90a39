#pragma once

// How a layer is trained: what is made small, and how the parameters follow. The gate for what
// comes from outside is here too.

#include <optional>
#include <string>
#include <vector>

#include "../layers/field.h"
#include "../ops/loss.h"

namespace attnscope {

/// The loss of a layer's first result. Arguments and defaults are those of F.cross_entropy,
/// F.binary_cross_entropy_with_logits and F.mse_loss.
struct Loss {
  enum class Kind { kCrossEntropy, kBinaryCrossEntropy, kSquaredError };
  enum class Target {
    kIndices,        // "labels": a class of each row of the result
    kProbabilities,  // "target": a probability of each class of each row
    kNextToken,      // none: each position's class is the next one's token
    kNumbers,        // "target": a number for each number of the result
  };

  Kind kind = Kind::kCrossEntropy;
  Target target = Target::kIndices;
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  std::vector<float> class_weights{};  // empty: every class counts alike
};

/// Arguments and defaults are those of torch.optim's class of the same name.
struct Optimizer {
  enum class Kind { kSgd, kRmsprop, kAdam, kAdamW };

  Kind kind = Kind::kAdam;
  double lr = 1e-3;
  double momentum = 0, dampening = 0;
  bool nesterov = false;
  double alpha = 0.99;
  bool centered = false;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;
  bool maximize = false;
};

/// By what the learning rate is multiplied in step t, which counts from 0: it rises in a line from
/// 0 over `warmup_steps`, and stays 1, or falls to 0 at `total_steps` in a line or as a half
/// cosine.
struct RateSchedule {
  enum class Kind { kConstant, kLinear, kCosine };

  Kind kind = Kind::kConstant;
  int64_t warmup_steps = 0, total_steps = 0;

  double factor(int64_t step) const;
};

struct Recipe {
  Loss loss{};
  Optimizer optimizer{};
  RateSchedule schedule{};
  std::optional<double> clip_norm{};  // the most that the norm of all gradients may be
  int64_t accumulation_steps = 1;     // calls whose gradients make one update, averaged
  std::vector<std::string> frozen{};  // parameters that stay as they are
  bool checkpointing = false;         // blocks that repeat are run again for their gradients
};

/// Throw FieldError, whose field is "loss.reduction", say, for what is unknown or out of range.
Loss resolve_loss(const RawConfig& raw);
Optimizer resolve_optimizer(const RawConfig& raw);
RateSchedule resolve_schedule(const RawConfig& raw);

}  // namespace attnscope
