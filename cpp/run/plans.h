#pragma once

// Plans for inputs of several lengths: what a run does is found out once for each.

#include <algorithm>
#include <memory>
#include <vector>

#include "lengths.h"
#include "threads.h"

namespace attnscope {

/// The last few that were used. A Plan has a config, the layer's graph as whole() and, in its
/// schedule, the number of threads that it was made for.
template <class Plan>
class Plans {
 public:
  using Ptr = std::shared_ptr<const Plan>;

  /// The plan for inputs of these shapes: of the lengths that they have, where `graph`, that of
  /// `own`, has no parameter of such a size, and of the config's own lengths otherwise. is_it(plan)
  /// says whether a plan is of the wanted kind; make(config, fits) makes one, or nothing where
  /// fits(its graph) is false. Throws FieldError where the layer's own rules forbid the lengths.
  template <class IsIt, class Make>
  Ptr find_or_make(const Config& own, const Graph& graph, const std::vector<GivenShape>& given,
                   IsIt is_it, Make make) {
    const Config config = with_lengths_of(own, graph, given);
    if (config.values() != own.values()) {
      if (config.layer().check) config.layer().check(config);
      const auto fits = [&](const Graph& other) { return fits_instead(other, graph, given); };
      if (Ptr other = of(config, is_it, make, fits)) return other;
    }
    return of(own, is_it, make, [](const Graph&) { return true; });
  }

 private:
  template <class IsIt, class Make, class Fits>
  Ptr of(const Config& config, IsIt is_it, Make make, Fits fits) {
    constexpr size_t kMost = 8;
    const auto known = std::find_if(plans_.begin(), plans_.end(), [&](const Ptr& one) {
      return is_it(*one) && one->schedule.how().threads == thread_count() &&
             one->config.values() == config.values();
    });
    if (known != plans_.end()) {
      if (!fits((*known)->whole())) return nullptr;
      std::rotate(known, known + 1, plans_.end());
      return plans_.back();
    }
    Ptr made = make(config, fits);
    if (!made) return nullptr;
    if (plans_.size() == kMost) plans_.erase(plans_.begin());
    plans_.push_back(made);
    return made;
  }

  std::vector<Ptr> plans_;  // the one used last at the end
};

}  // namespace attnscope
