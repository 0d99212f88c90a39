#include "program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels.h"
#include "threads.h"

namespace attnscope {
namespace {

/// Multiply-accumulates and other operations of the steps that one kernel does.
double work_of(const Graph& graph, const Schedule::Entry& entry) {
  double work = 0;
  for (const Step* step = entry.step; step != entry.step + entry.fusion.steps; ++step) {
    const Cost cost = step->op->cost(graph.input_shapes(*step), graph.tensor(step->output).shape);
    work += static_cast<double>(cost.macs()) + static_cast<double>(cost.elementwise());
  }
  return work;
}

}  // namespace

Workspace::Workspace(const Schedule& schedule, const Parameters& parameters, const Inputs& inputs,
                     std::span<CachedRows> caches)
    : schedule_(schedule),
      graph_(schedule.graph()),
      inputs_(inputs),
      arena_(std::make_unique_for_overwrite<float[]>(static_cast<size_t>(schedule.arena_size()))),
      memory_(graph_.tensors().size(), nullptr),
      owned_(graph_.tensors().size()),
      cached_(graph_.tensors().size(), nullptr) {
  for (size_t id = 0; id < memory_.size(); ++id) {
    const Tensor& tensor = graph_.tensors()[id];
    if (tensor.storage != static_cast<TensorId>(id)) continue;  // a view
    if (tensor.role == Role::kParameter) memory_[id] = parameters[id]->data();
    if (tensor.role != Role::kParameter && inputs[id]) memory_[id] = inputs[id]->data();
  }
  for (size_t i = 0; i < caches.size(); ++i) {
    const Cache& cache = graph_.caches()[i];
    if (cache.past != kNoTensor) cached_[static_cast<size_t>(cache.present)] = &caches[i];
  }
}

void Workspace::load(TensorId id) {
  inputs_.load(static_cast<size_t>(id));
  inputs_.load(storage(id));
  const CachedRows* rows = cached_[storage(id)];
  if (rows && !memory_[storage(id)]) rows->copy_to(write(id));
}

LateInput Workspace::take_late(TensorId id) {
  const Shape &whole = graph_.tensors()[storage(id)].shape, &shape = graph_.tensor(id).shape;
  if (elements(shape) == elements(whole)) {
    if (LateInput late = inputs_.take_late(storage(id))) return late;
  }
  load(id);
  return {};
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
  if (const std::optional<Count> offset = schedule_.offset(static_cast<TensorId>(index))) {
    float* place = arena_.get() + static_cast<size_t>(*offset);
    if (!memory_[index]) memory_[index] = place;
    return place;
  }
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
    Values copy = make_values(shape);  // an input, or moved out already by another output
    std::copy_n(read(id), copy.size(), copy.data());
    return copy;
  }
  Values values = std::exchange(owned, Values());
  values.reshape(std::vector<size_t>(shape.begin(), shape.end()));
  return values;
}

Program::Program(const Schedule& schedule, const State& state, PackedWeights& packed)
    : schedule_(schedule), parameters_(parameters_of(schedule.graph(), state)) {
  for (const Schedule::Entry& entry : schedule.entries()) {
    kernels_.push_back(
        entry.fusion.make_kernel({{schedule.graph(), *entry.step}, parameters_, packed}));
  }
}

Outputs Program::run(const Inputs& inputs, const Progress& progress,
                     std::span<CachedRows> caches) const {
  Workspace workspace(schedule_, parameters_, inputs, caches);
  if (progress) {
    inputs.load_all();
    run_watched(workspace, progress);
  } else {
    for (size_t i = 0; i < kernels_.size(); ++i) run_kernel(i, workspace);
  }
  for (size_t i = 0; i < caches.size(); ++i) {
    const Cache& cache = schedule_.graph().caches()[i];
    if (cache.past == kNoTensor) caches[i].append(workspace.read(cache.present), cache.new_len);
  }
  Outputs outputs;
  for (const TensorId id : schedule_.results()) outputs.push_back(workspace.take(id));
  return outputs;
}

void Program::run_kernel(size_t index, Workspace& workspace) const {
  const Fusion& fusion = schedule_.entries()[index].fusion;
  if (!fusion.loads) {
    for (const TensorId id : fusion.reads) workspace.load(id);
  }
  kernels_[index](workspace);
}

void Program::run_watched(Workspace& workspace, const Progress& progress) const {
  std::vector<double> work;
  double all = 1, before = 0;  // starts at 1, so that it is never 0
  for (const Schedule::Entry& entry : schedule_.entries()) {
    all += work.emplace_back(work_of(schedule_.graph(), entry));
  }
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const double after = before + work[i];
    const Progress own = progress.part(before / all, after / all);
    {
      const Watch watch(own);
      run_kernel(i, workspace);
    }
    own(1);  // for kernels that never call parallel_for(), too
    before = after;
  }
}

}  // namespace attnscope
