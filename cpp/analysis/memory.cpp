#include "memory.h"

#include <algorithm>
#include <utility>

#include "../graph/rows.h"
#include "lifetimes.h"

namespace attnscope {
namespace {

void read_training(const Graph& graph, Dtype dtype, Memory& memory) {
  Lifetimes training = lifetimes(graph, dtype, Sharing::kTraining);
  for (const Count saved : training.saved) {
    memory.saved_for_backward = sum(memory.saved_for_backward, saved);
  }
  memory.step_saved = std::move(training.saved);
  memory.gradients = memory.parameters;
  memory.kept_for_backward =
      sum(memory.parameters + memory.gradients, sum(memory.inputs, training.left));
}

void add_caches(const Graph& graph, int64_t times, Count element_bytes, KvCache& total) {
  for (const StateUse& state : graph.states()) {
    if (state.rule != StateUse::Rule::kAppended) continue;
    const Shape& shape = graph.tensor(state.after).shape;
    const int64_t length = shape[shape.size() - 2];
    const Count kept = state.window ? std::min<Count>(length, *state.window) : length;
    const Count token = product({times, elements(shape) / shape[0] / length, element_bytes});
    total.bytes_per_token = sum(total.bytes_per_token, token);
    total.bytes_per_sequence = sum(total.bytes_per_sequence, product({token, kept}));
    total.bytes = sum(total.bytes, product({token, kept, shape[0]}));
  }
  for (const Loop& loop : graph.loops()) {
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      add_caches(*loop.bodies[kind].graph, times * loop.iterations_of(kind), element_bytes, total);
    }
  }
}

}  // namespace

Count parameter_bytes(const Graph& graph, Dtype dtype) {
  return product({graph.parameters().elements(), bytes_per_element(dtype)});
}

Count input_bytes(const Graph& graph, Dtype dtype) {
  Count bytes = 0;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role == Role::kInput) bytes = sum(bytes, bytes_of(tensor, dtype));
  }
  return bytes;
}

Memory memory(const Graph& graph, Dtype dtype) {
  Memory memory;
  memory.parameters = parameter_bytes(graph, dtype);
  memory.inputs = input_bytes(graph, dtype);
  for (const Result& result : graph.results()) {
    memory.output = sum(memory.output, bytes_of(graph.tensor(result.tensor), dtype));
  }
  const Lifetimes run = lifetimes(graph, dtype, Sharing::kInference);
  memory.activations_peak = run.peak;
  memory.inference_total = memory.parameters + memory.inputs + run.peak;
  memory.activations_peak_without_weights = run.peak_without_pairs;
  memory.inference_total_without_weights =
      memory.parameters + memory.inputs + run.peak_without_pairs;
  if (trainable(dtype)) {
    read_training(graph, dtype, memory);
  } else {
    memory.step_saved.assign(count_rows(graph), 0);
  }
  return memory;
}

KvCache kv_cache(const Graph& graph, Dtype dtype) {
  KvCache total;
  add_caches(graph, 1, bytes_per_element(dtype), total);
  return total;
}

}  // namespace attnscope
