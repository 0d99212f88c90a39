#pragma once

#include "function_ref.h"

namespace attnscope {

/// A listener that is called several times a second, in the calling thread, with the part of a run
/// that is done, from 0 to 1; or none. The listener may throw, which stops the run.
class Progress {
 public:
  Progress() = default;

  /// `told` must live as long as the progress.
  explicit Progress(FunctionRef<void(double done)> told) : told_(told) {}

  /// The same listener for a part of the run, whose 0 and 1 are `from` and `to` of the whole.
  Progress part(double from, double to) const {
    Progress part = *this;
    part.from_ = at(from);
    part.to_ = at(to);
    return part;
  }

  explicit operator bool() const { return bool{told_}; }
  void operator()(double done) const { told_(at(done)); }

 private:
  double at(double done) const { return from_ + (to_ - from_) * done; }

  FunctionRef<void(double done)> told_;
  double from_ = 0, to_ = 1;
};

}  // namespace attnscope
