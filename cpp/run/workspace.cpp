#include "workspace.h"

#include <algorithm>
#include <utility>

#include "threads.h"

namespace attnscope {

Workspace::Workspace(const Graph& graph, const Placement& placement,
                     std::span<const TensorId> results, const BoundWeights& weights,
                     const Inputs& inputs, std::span<CachedRows* const> caches)
    : graph_(graph),
      placement_(placement),
      weights_(weights),
      inputs_(inputs),
      results_(results),
      arena_(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(placement.arena_bytes))),
      memory_(graph_.tensors().size(), nullptr),
      cached_(graph_.tensors().size(), nullptr),
      given_shapes_(graph_.tensors().size()) {
  for (size_t id = 0; id < memory_.size(); ++id) {
    const Tensor& tensor = graph_.tensors()[id];
    if (tensor.role == Role::kOptionalInput && inputs[id])
      given_shapes_[id] = shape_of(*inputs[id]);
    if (tensor.storage != static_cast<TensorId>(id)) continue;  // a view
    if (tensor.role == Role::kParameter) {
      memory_[id] = weights.values[static_cast<size_t>(tensor.parameter)].data();
    }
    if (tensor.role != Role::kParameter && inputs[id]) memory_[id] = inputs[id]->data();
  }
  for (size_t i = 0; i < caches.size(); ++i) {
    const StateUse& use = graph_.states()[i];
    if (!caches[i] || use.before == kNoTensor) continue;
    cached_[static_cast<size_t>(use.after)] = caches[i];
  }
  outputs_.reserve(results_.size());
  for (const TensorId id : results_) {
    Values& output = outputs_.emplace_back(make_values(graph_.tensor(id).shape));
    const size_t storage = placement_.storage_of(id);
    const Tensor& whole = graph_.tensors()[storage];
    if (whole.role != Role::kActivation || memory_[storage] || cached_[storage]) continue;
    if (elements(whole.shape) == static_cast<Count>(output.size())) {
      memory_[storage] = output.data();  // results are made where they leave the run
    } else {
      give_memory(storage);
    }
  }
}

void Workspace::enter(std::span<const TensorId> writes, const Scratch& scratch, Count offset) {
  for (const TensorId id : writes) {
    if (!cache(id)) write(id);
  }
  scratch_ = &scratch;
  scratch_start_ = arena_.get() + static_cast<size_t>(offset);
}

void Workspace::load(TensorId id) {
  const size_t storage = placement_.storage_of(id);
  inputs_.load(static_cast<size_t>(id));
  inputs_.load(storage);
  const CachedRows* rows = cached_[storage];
  if (rows && !memory_[storage]) rows->copy_to(write(id));
}

LateInput Workspace::take_late(TensorId id) {
  const size_t storage = placement_.storage_of(id);
  const Shape &whole = graph_.tensors()[storage].shape, &shape = graph_.tensor(id).shape;
  if (elements(shape) == elements(whole)) {
    if (LateInput late = inputs_.take_late(storage)) return late;
  }
  load(id);
  return {};
}

const float* Workspace::read(TensorId id) const {
  // A part of a stacked input may also have been given by itself.
  if (const Values* given = inputs_[static_cast<size_t>(id)]) return given->data();
  const size_t index = placement_.storage_of(id);
  const float* memory = memory_[index];
  if (!memory || graph_.tensors()[index].role == Role::kActivation) return memory;
  return memory + graph_.tensor(id).offset;
}

float* Workspace::write(TensorId id) {
  const size_t index = placement_.storage_of(id);
  const Role role = graph_.tensors()[index].role;
  if (role == Role::kParameter || role == Role::kState) {
    // An update in place: the numbers are the caller's own, who lends them for the run.
    return const_cast<float*>(read(id));
  }
  if (const std::optional<Count> offset = placement_.offsets[index]) {
    auto* place = reinterpret_cast<float*>(arena_.get() + static_cast<size_t>(*offset));
    if (!memory_[index]) memory_[index] = place;
    return place;
  }
  if (!memory_[index]) give_memory(index);
  return const_cast<float*>(memory_[index]);
}

void Workspace::give_memory(size_t storage) {
  memory_[storage] = others_.emplace_back(make_values(graph_.tensors()[storage].shape)).data();
}

std::byte* Workspace::scratch_bytes(Count offset, bool each_thread) const {
  const Slot<std::byte> slot{offset, each_thread};
  return scratch_start_ + static_cast<size_t>(scratch_->start(slot, thread_number()));
}

Outputs Workspace::take_results() {
  for (size_t i = 0; i < results_.size(); ++i) {
    const float* from = read(results_[i]);
    Values& output = outputs_[i];  // or a copy of it: an input, or what another result is, too
    if (from != output.data()) std::copy_n(from, output.size(), output.data());
  }
  return std::move(outputs_);
}

}  // namespace attnscope
