#include "training.h"

#include <algorithm>
#include <map>
#include <vector>

namespace attnscope {
namespace {

/// Most bytes of what the steps of a training graph make that are alive at once, where each tensor
/// is let go after the last step that reads it, but what autograd keeps of a step not before the
/// step's gradients are there. A matrix of weights, which our kernels never make, is in it: PyTorch
/// makes it.
class TrainingPeak {
 public:
  TrainingPeak(const TrainingGraph& training, Count element_bytes)
      : graph_(training.graph), element_bytes_(element_bytes) {
    const std::vector<Step>& steps = graph_.steps();
    last_read_.assign(graph_.tensors().size(), -1);
    freed_.assign(steps.size(), 0);
    std::vector<int> last_behind(graph_.tensors().size(), -1);  // by what a step makes
    for (int s = 0; s < std::ssize(steps); ++s) {
      const Step& step = steps[static_cast<size_t>(s)];
      for (const TensorId id : step.inputs) read(id, s);
      for (const TensorId id : step.outputs()) read(id, s);
      if (step.gradient_of != kNoTensor) last_behind[index(step.gradient_of)] = s;
    }
    for (const Result& result : graph_.results()) {
      read(result.tensor, static_cast<int>(steps.size()) - 1);
    }
    for (int s = 0; s < std::ssize(steps); ++s) {
      const int last = last_behind[index(steps[static_cast<size_t>(s)].output)];
      if (last >= 0) keep(s, last);
    }
    for (const Step& step : steps) {
      for (const TensorId id : step.outputs()) {
        if (owns(id)) at(freed_, last_read_[index(id)]) += bytes(id);
      }
    }
    Count alive = 0;
    for (size_t s = 0; s < steps.size(); ++s) {
      for (const TensorId id : steps[s].outputs()) {
        if (owns(id)) alive = sum(alive, bytes(id));
      }
      if (const auto more = more_.find(static_cast<int>(s)); more != more_.end()) {
        alive = sum(alive, more->second);
      }
      peak_ = std::max(peak_, alive);
      alive -= freed_[s];
    }
  }

  Count bytes() const { return peak_; }

 private:
  static size_t index(TensorId id) { return static_cast<size_t>(id); }
  static Count& at(std::vector<Count>& counts, int step) {
    return counts[static_cast<size_t>(step)];
  }
  Count bytes(TensorId id) const {
    return product({elements(graph_.tensor(id).shape), element_bytes_});
  }
  bool owns(TensorId id) const {
    return graph_.tensor(id).storage == id && graph_.tensor(id).role == Role::kActivation;
  }
  void read(TensorId id, int step) {
    int& last = last_read_[index(graph_.tensor(id).storage)];
    last = std::max(last, step);
  }

  /// What autograd keeps of step `s`, until `last`, the last step behind it.
  void keep(int s, int last) {
    const Step& step = graph_.steps()[static_cast<size_t>(s)];
    const Saved saved =
        step.op->saved_for_backward(graph_.input_shapes(step), graph_.tensor(step.output).shape);
    for (const int input : saved.inputs) read(step.inputs[static_cast<size_t>(input)], last);
    for (const int output : saved.outputs) read(step.output + output, last);
    const Count more = sum(product({saved.elements, element_bytes_}), saved.bytes);
    if (more == 0) return;
    more_[s] = more;
    at(freed_, last) += more;
  }

  const Graph& graph_;
  const Count element_bytes_;
  std::vector<int> last_read_;  // by storage: the step
  std::vector<Count> freed_;    // by step: bytes that it is the last to need
  std::map<int, Count> more_;   // by step: bytes that autograd keeps besides
  Count peak_ = 0;
};

}  // namespace

TrainingMemory training_memory(const TrainingGraph& training, const Memory& whole, Dtype dtype) {
  const Graph& graph = training.graph;
  const auto bytes_of = [&](TensorId id) {
    return product({elements(graph.tensor(id).shape), bytes_per_element(dtype)});
  };
  TrainingMemory memory{
      .parameters = whole.parameters,
      .inputs = whole.inputs,
      .activations_peak = TrainingPeak(training, bytes_per_element(dtype)).bytes()};
  for (const TensorId id : training.trained) memory.gradients = sum(memory.gradients, bytes_of(id));
  for (const StateUse& state : graph.states()) {
    if (state.rule != StateUse::Rule::kInPlace) continue;
    memory.optimizer = sum(memory.optimizer, bytes_of(state.before));
  }
  for (const Filled& filled : graph.filled()) {
    if (!std::holds_alternative<Noise>(filled.filling)) continue;
    memory.noise = sum(memory.noise, bytes_of(filled.tensor));
  }
  const auto together = [](std::initializer_list<Count> parts) {
    Count all = 0;
    for (const Count part : parts) all = sum(all, part);
    return all;
  };
  memory.kept = together({memory.parameters, memory.gradients, memory.optimizer});
  memory.peak = together(
      {memory.parameters, memory.optimizer, memory.inputs, memory.noise, memory.activations_peak});
  return memory;
}

}  // namespace attnscope
