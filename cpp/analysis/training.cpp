#include "training.h"

namespace attnscope {

TrainingMemory training_memory(const TrainingGraph& training, const Memory& whole, Dtype dtype) {
  const Graph& graph = training.graph;
  const auto bytes_of = [&](TensorId id) {
    return product({elements(graph.tensor(id).shape), bytes_per_element(dtype)});
  };
  TrainingMemory memory{.parameters = whole.parameters,
                        .inputs = whole.inputs,
                        .activations_peak = whole.activations_peak};
  for (const TensorId id : training.trained) memory.gradients = sum(memory.gradients, bytes_of(id));
  for (const TrainingGraph::Moment& moment : training.moments) {
    memory.optimizer = sum(memory.optimizer, bytes_of(moment.tensor));
  }
  for (const TrainingGraph::Noise& noise : training.noise) {
    memory.noise = sum(memory.noise, bytes_of(noise.tensor));
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
