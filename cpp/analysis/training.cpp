#include "training.h"

#include <utility>

#include "lifetimes.h"
#include "memory.h"

namespace attnscope {

TrainingMemory training_memory(const TrainingGraph& training, Dtype dtype) {
  const Graph& graph = training.graph;
  Lifetimes lives = lifetimes(graph, dtype, Sharing::kTraining);
  TrainingMemory memory{.parameters = parameter_bytes(graph, dtype),
                        .inputs = input_bytes(graph, dtype),
                        .activations_peak = lives.peak,
                        .step_saved = std::move(lives.saved)};
  const auto add = [&](Count& bytes, TensorId id) {
    bytes = sum(bytes, bytes_of(graph.tensor(id), dtype));
  };
  for (const TensorId id : training.trained) add(memory.gradients, id);
  for (const StateUse& state : graph.states()) {
    if (state.rule == StateUse::Rule::kInPlace) add(memory.optimizer, state.before);
  }
  for (const Filled& filled : graph.filled()) {
    if (std::holds_alternative<Noise>(filled.filling)) add(memory.noise, filled.tensor);
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
