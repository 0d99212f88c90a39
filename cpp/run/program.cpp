#include "program.h"

#include <algorithm>
#include <utility>

#include "kernels.h"

namespace attnscope {
namespace {

/// For each step, the activations that it is the last to read.
std::vector<std::vector<TensorId>> last_reads(const Graph& graph,
                                              const std::vector<TensorId>& storages,
                                              const std::vector<TensorId>& outputs) {
  const std::vector<Step>& steps = graph.steps();
  std::vector<bool> needed(graph.tensors().size(), false);  // by storage, from the end backwards
  for (const TensorId id : outputs) {
    needed[static_cast<size_t>(storages[static_cast<size_t>(id)])] = true;
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
  std::vector<TensorId> storage;
  for (const Tensor& tensor : graph.tensors()) storage.push_back(tensor.storage);
  for (const Step& step : graph.steps()) {
    const Aliasing aliasing = step.op->aliasing();
    const bool shared = aliasing == Aliasing::kReshape || aliasing == Aliasing::kUnlessTraining;
    storage[static_cast<size_t>(step.output)] =
        shared ? storage[static_cast<size_t>(step.inputs[0])] : step.output;
  }
  return storage;
}

Workspace::Workspace(const Graph& graph, const std::vector<TensorId>& storage,
                     const Parameters& parameters, const Inputs& inputs)
    : graph_(graph),
      storage_(storage),
      inputs_(inputs),
      memory_(graph.tensors().size(), nullptr),
      owned_(graph.tensors().size()) {
  for (size_t id = 0; id < memory_.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.storage != static_cast<TensorId>(id)) continue;  // a view
    if (tensor.role == Role::kParameter) memory_[id] = parameters[id]->data();
    if (tensor.role != Role::kParameter && inputs[id]) memory_[id] = inputs[id]->data();
  }
}

const float* Workspace::read(TensorId id) const {
  // A part of a stacked input may also have been given by itself.
  if (const Values* given = inputs_[static_cast<size_t>(id)]) return given->data();
  const size_t index = storage(id);
  const float* memory = memory_[index];
  if (!memory || graph_.tensors()[index].role == Role::kActivation) return memory;
  return memory + graph_.tensor(id).offset;
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
  const Shape& shape = graph_.tensor(id).shape;
  Values& owned = owned_[storage(id)];
  if (owned.size() == 0 || static_cast<Count>(owned.size()) != elements(shape)) {
    Values copy = make_values(shape);  // of an input, or of what another output has taken
    std::copy_n(read(id), copy.size(), copy.data());
    return copy;
  }
  Values values = std::exchange(owned, Values());
  values.reshape(std::vector<size_t>(shape.begin(), shape.end()));
  return values;
}

void Workspace::free(TensorId id) {
  const size_t index = storage(id);
  memory_[index] = nullptr;
  owned_[index] = Values();
}

PackedWeights::Packed PackedWeights::get(const std::string& name,
                                         const std::function<std::vector<float>()>& pack) {
  Packed& packed = packed_[name];
  if (!packed) packed = std::make_shared<const std::vector<float>>(pack());
  return packed;
}

Program::Program(const Graph& graph, const State& state, PackedWeights& packed, Keep keep)
    : graph_(graph),
      outputs_(outputs_of(graph, keep)),
      parameters_(parameters_of(graph, state)),
      storage_(run_storage(graph)) {
  const std::vector<std::vector<TensorId>> dead = last_reads(graph, storage_, outputs_);
  for (size_t s = 0; s < graph.steps().size();) {
    Fusion fusion = fusion_at({graph, graph.steps()[s], parameters_, packed}, s);
    const size_t count = fusion.steps > 0 ? fusion.steps : 1;
    Instruction instruction;
    instruction.kernel = fusion.steps > 0
                             ? std::move(fusion.kernel)
                             : kernel_for({graph, graph.steps()[s], parameters_, packed});
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
  for (const TensorId id : outputs_) outputs.push_back(workspace.take(id));
  return outputs;
}

}  // namespace attnscope
