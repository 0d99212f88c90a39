#include "fusion.h"

#include <algorithm>
#include <ranges>

namespace attnscope {

Steps::Steps(const Graph& graph, const std::vector<TensorId>& outputs)
    : producers_(graph.tensors().size(), nullptr),
      reads_(graph.tensors().size(), 0),
      later_reads_(graph.tensors().size(), 0) {
  for (const TensorId id : outputs) ++reads_[static_cast<size_t>(id)];
  // From the end: a step is needed where what it makes is read.
  for (const Step& step : graph.steps() | std::views::reverse) {
    if (std::ranges::none_of(step.outputs(), [this](TensorId id) { return reads(id) > 0; }))
      continue;
    steps_.push_back(&step);
    for (const TensorId id : step.outputs()) producers_[static_cast<size_t>(id)] = &step;
    if (step.inputs.size() > 1) {
      later_reads_[static_cast<size_t>(step.output)] = reads(step.inputs[1]);
    }
    for (const TensorId id : step.inputs) ++reads_[static_cast<size_t>(id)];
  }
  std::reverse(steps_.begin(), steps_.end());
  for (const Step* step : steps_) {
    if (step->gradient_of != kNoTensor) gradients_.push_back(step);
  }
  // By heap, which is a third of stable_sort's code; of equals the earlier step comes first.
  const auto before = [](const Step* a, const Step* b) {
    return a->gradient_of != b->gradient_of ? a->gradient_of < b->gradient_of : a < b;
  };
  std::ranges::make_heap(gradients_, before);
  std::ranges::sort_heap(gradients_, before);
}

std::span<const Step* const> Steps::gradients_of(TensorId id) const {
  return std::ranges::equal_range(gradients_, id, {}, &Step::gradient_of);
}

size_t Steps::place_of(const Step& step) const {
  return static_cast<size_t>(std::ranges::find(steps_, &step) - steps_.begin());
}

void Steps::gather(std::span<const Step* const> steps) {
  if (steps.empty()) return;
  auto to = std::ranges::find(steps_, steps.front());
  for (const Step* step : steps) {
    const auto from = std::find(to, steps_.end(), step);
    std::rotate(to++, from, from + 1);
  }
}

Fusion Site::alone(std::vector<TensorId> reads) const {
  Fusion fusion{.steps = 1, .reads = std::move(reads)};
  for (const TensorId id : step().outputs()) {
    if (steps.reads(id) > 0) fusion.writes.push_back(id);
  }
  return fusion;
}

}  // namespace attnscope
