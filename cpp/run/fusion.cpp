#include "fusion.h"

#include <algorithm>
#include <ranges>

namespace attnscope {

Steps::Steps(const Graph& graph, const std::vector<TensorId>& outputs)
    : producers_(graph.tensors().size(), nullptr), reads_(graph.tensors().size(), 0) {
  for (const TensorId id : outputs) ++reads_[static_cast<size_t>(id)];
  // From the end: a step is needed where what it makes is read.
  for (const Step& step : graph.steps() | std::views::reverse) {
    if (reads_[static_cast<size_t>(step.output)] == 0) continue;
    steps_.push_back(&step);
    producers_[static_cast<size_t>(step.output)] = &step;
    for (const TensorId id : step.inputs) ++reads_[static_cast<size_t>(id)];
  }
  std::reverse(steps_.begin(), steps_.end());
}

}  // namespace attnscope
