#include "program.h"

#include <algorithm>
#include <utility>

#include "kernels.h"

namespace attnscope {
namespace {

/// Steps that one kernel does.
struct Planned {
  size_t first, count;
  Kernel kernel;  // of a fusion; that of a single step is made when it turns out to be needed
  std::vector<TensorId> reads;
};

std::vector<Planned> plan_of(const Graph& graph, const Parameters& parameters,
                             PackedWeights& packed, const Uses& uses) {
  const std::vector<Step>& steps = graph.steps();
  std::vector<Planned> plan;
  for (size_t s = 0; s < steps.size(); s += plan.back().count) {
    Fusion fusion = fusion_at({graph, steps[s], parameters, packed, uses}, s);
    if (fusion.steps > 0) {
      plan.push_back({s, fusion.steps, std::move(fusion.kernel), std::move(fusion.reads)});
    } else {
      plan.push_back({s, 1, {}, steps[s].inputs});
    }
  }
  return plan;
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
  const Uses uses(graph, outputs_);
  std::vector<Planned> plan = plan_of(graph, parameters_, packed, uses);
  std::vector<bool> needed(graph.tensors().size(), false);  // by storage
  const auto need = [&](TensorId id) {
    const size_t storage = static_cast<size_t>(storage_[static_cast<size_t>(id)]);
    const bool first = !needed[storage] && graph.tensors()[storage].role == Role::kActivation;
    needed[storage] = true;
    return first;
  };
  for (const TensorId id : outputs_) need(id);
  // From the end backwards: what nothing needs is left out, and what nothing needs any more dies.
  for (size_t i = plan.size(); i-- > 0;) {
    Planned& planned = plan[i];
    bool used = false;
    for (size_t s = planned.first; s < planned.first + planned.count; ++s) {
      const TensorId output = storage_[static_cast<size_t>(graph.steps()[s].output)];
      used = used || needed[static_cast<size_t>(output)];
    }
    if (!used) continue;
    Instruction instruction;
    for (const TensorId id : planned.reads) {
      if (need(id)) instruction.dead.push_back(storage_[static_cast<size_t>(id)]);
    }
    const Site site{graph, graph.steps()[planned.first], parameters_, packed, uses};
    instruction.kernel = planned.kernel ? std::move(planned.kernel) : kernel_for(site);
    instructions_.push_back(std::move(instruction));
  }
  std::reverse(instructions_.begin(), instructions_.end());
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
