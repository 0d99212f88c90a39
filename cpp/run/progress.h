#pragma once

#include "function_ref.h"

namespace attnscope {

/// Who is told, some times a second and in the calling thread, which part of a run is done, from 0
/// to 1; or nobody. What is told may throw, which stops the run.
class Progress {
 public:
  Progress() = default;

  /// `told` must live as long as the progress.
  explicit Progress(FunctionRef<void(double done)> told) : told_(told) {}

  /// Of a part of the run, [from, to].
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
