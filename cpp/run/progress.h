#pragma once

#include <functional>

namespace attnscope {

/// Told, some times a second and in the calling thread, which part of a run is done, from 0 to 1.
/// May throw, which stops the run.
using Progress = std::function<void(double done)>;

/// What tells `progress` about a part of its run, [from, to]; empty where `progress` is.
inline Progress part_of(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [&progress, from, to](double done) { progress(from + (to - from) * done); };
}

}  // namespace attnscope
