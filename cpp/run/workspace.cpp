#include "workspace.h"

#include <algorithm>
#include <utility>

#include "threads.h"

namespace attnscope {

Workspace::Workspace(const Graph& graph, const Placement& placement, const BoundWeights& weights,
                     const Inputs& inputs, std::span<CachedRows* const> caches)
    : graph_(graph),
      placement_(placement),
      weights_(weights),
      inputs_(inputs),
      arena_(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(placement.arena_bytes))),
      memory_(graph_.tensors().size(), nullptr),
      owned_(graph_.tensors().size()),
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
  if (!memory_[index]) {
    owned_[index] = make_values(graph_.tensors()[index].shape);
    memory_[index] = owned_[index].data();
  }
  return owned_[index].data();
}

std::byte* Workspace::scratch_bytes(Count offset, bool each_thread) const {
  const Slot<std::byte> slot{offset, each_thread};
  return scratch_start_ + static_cast<size_t>(scratch_->start(slot, thread_number()));
}

Values Workspace::take(TensorId id) {
  const Shape& shape = graph_.tensor(id).shape;
  const float* from = read(id);
  Values& owned = owned_[placement_.storage_of(id)];
  if (owned.data() != from || static_cast<Count>(owned.size()) != elements(shape)) {
    Values copy = make_values(shape);  // an input, or moved out already by another output
    std::copy_n(from, copy.size(), copy.data());
    return copy;
  }
  Values values = std::exchange(owned, Values());
  values.reshape(std::vector<size_t>(shape.begin(), shape.end()));
  return values;
}

}  // namespace attnscope
