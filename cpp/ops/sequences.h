#pragma once

// What operations share that make one row of each sequence: x (B, T, E), with an optional mask
// (B, T).

#include <limits>
#include <vector>

#include "../graph/gradients.h"

namespace attnscope {

/// The mask's value at a position, 0 without a mask.
class SequenceMask {
 public:
  static constexpr double kHidden = -std::numeric_limits<double>::infinity();

  SequenceMask(const Array* mask, size_t length) : mask_(mask), length_(length) {}
  double operator()(size_t b, size_t t) const {
    return mask_ ? mask_->data()[mask_->size() > length_ ? b * length_ + t : t] : 0.0;
  }
  bool hides(size_t b, size_t t) const { return (*this)(b, t) == kHidden; }

 private:
  const Array* mask_;
  size_t length_;
};

/// (B, E). Throws std::logic_error where the first input is no sequences, or the mask, the second
/// one, does not fit them; `op` is named in the message.
Shape pooled_shape(std::string_view op, const InputShapes& inputs);

/// These inputs of a gradient's step, with the mask of the step before it at their end, if it has
/// one.
std::vector<TensorId> with_mask(const GradientBuilder& step, std::vector<TensorId> inputs);

}  // namespace attnscope
