#include "program.h"

#include <numeric>
#include <utility>

#include "kernels.h"

namespace attnscope {
namespace {

/// For each step, the activations that it is the last to read.
std::vector<std::vector<TensorId>> last_reads(const Graph& graph,
                                              const std::vector<TensorId>& storages) {
  const std::vector<Step>& steps = graph.steps();
  std::vector<bool> needed(graph.tensors().size(), false);  // by storage, from the end backwards
  for (const Result& result : graph.results()) {
    needed[static_cast<size_t>(storages[static_cast<size_t>(result.tensor)])] = true;
  }
  std::vector<std::vector<TensorId>> dead(steps.size());
  for (size_t s = steps.size(); s-- > 0;) {
    for (const TensorId id : steps[s].inputs) {
      const TensorId storage = storages[static_cast<size_t>(id)];
      if (graph.tensor(storage).role != Role::kActivation || needed[static_cast<size_t>(storage)])
        continue;
      needed[static_cast<size_t>(storage)] = true;
      dead[s].push_back(storage);
    }
  }
  return dead;
}

}  // namespace

std::vector<TensorId> run_storage(const Graph& graph) {
  std::vector<TensorId> storage(graph.tensors().size());
  std::iota(storage.begin(), storage.end(), TensorId{0});
  for (const Step& step : graph.steps()) {
    if (step.op->aliasing() != Aliasing::kReshape) continue;
    storage[static_cast<size_t>(step.output)] = storage[static_cast<size_t>(step.inputs[0])];
  }
  return storage;
}

Workspace::Workspace(const Graph& graph, const std::vector<TensorId>& storage,
                     const Parameters& parameters, const Inputs& inputs)
    : graph_(graph),
      storage_(storage),
      memory_(graph.tensors().size(), nullptr),
      owned_(graph.tensors().size()) {
  for (size_t id = 0; id < memory_.size(); ++id) {
    const Role role = graph.tensors()[id].role;
    if (role == Role::kParameter) memory_[id] = parameters[id].data();
    if (role != Role::kParameter && inputs[id]) memory_[id] = inputs[id]->data();
  }
}

float* Workspace::write(TensorId id) {
  const size_t index = storage(id);
  if (!memory_[index]) {
    owned_[index] = make_values(graph_.tensors()[index].shape);
    memory_[index] = owned_[index].data();
  }
  return owned_[index].data();
}

Values Workspace::take(TensorId id) {
  const size_t index = storage(id);
  const Shape& shape = graph_.tensor(id).shape;
  Values values = std::move(owned_[index]);
  values.reshape(std::vector<size_t>(shape.begin(), shape.end()));
  return values;
}

void Workspace::free(TensorId id) {
  const size_t index = storage(id);
  memory_[index] = nullptr;
  owned_[index] = Values();
}

Program::Program(const Graph& graph, const Parameters& parameters)
    : graph_(graph), parameters_(parameters), storage_(run_storage(graph)) {
  const std::vector<std::vector<TensorId>> dead = last_reads(graph, storage_);
  for (size_t s = 0; s < graph.steps().size();) {
    Fusion fusion = fusion_at(graph, s, parameters);
    const size_t count = fusion.steps > 0 ? fusion.steps : 1;
    Instruction instruction;
    instruction.kernel = fusion.steps > 0 ? std::move(fusion.kernel)
                                          : kernel_for(graph, graph.steps()[s], parameters);
    for (size_t i = s; i < s + count; ++i) {
      instruction.dead.insert(instruction.dead.end(), dead[i].begin(), dead[i].end());
    }
    instructions_.push_back(std::move(instruction));
    s += count;
  }
}

Outputs Program::run(const Inputs& inputs) const {
  Workspace workspace(graph_, storage_, parameters_, inputs);
  for (const Instruction& instruction : instructions_) {
    instruction.kernel(workspace);
    for (const TensorId id : instruction.dead) workspace.free(id);
  }
  Outputs outputs;
  for (const Result& result : graph_.results()) outputs.push_back(workspace.take(result.tensor));
  return outputs;
}

}  // namespace attnscope
