#include "schedule.h"

#include <algorithm>
#include <utility>

#include "arena.h"
#include "kernels.h"

namespace attnscope {
namespace {

constexpr Count kFloatBytes = 4;

/// Floats rounded up to whole cache lines of 64 bytes: no two tensors share one.
Count in_cache_lines(Count floats) {
  constexpr Count kLine = 16;
  return product({sum(floats, kLine - 1) / kLine, kLine});
}

}  // namespace

std::vector<TensorId> outputs_of(const Graph& graph, Keep keep) {
  std::vector<TensorId> outputs;
  for (const Result& result : graph.results()) {
    if (keep.weights || !result.is_weights()) outputs.push_back(result.tensor);
  }
  if (!keep.caches) return outputs;
  for (const Cache& cache : graph.caches()) outputs.push_back(cache.present);
  return outputs;
}

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

Uses::Uses(const Graph& graph, const std::vector<TensorId>& outputs)
    : producers_(graph.tensors().size(), nullptr), reads_(graph.tensors().size(), 0) {
  for (const Step& step : graph.steps()) {
    producers_[static_cast<size_t>(step.output)] = &step;
    for (const TensorId id : step.inputs) ++reads_[static_cast<size_t>(id)];
  }
  for (const TensorId id : outputs) ++reads_[static_cast<size_t>(id)];
}

Schedule::Schedule(const Graph& graph, Keep keep)
    : graph_(graph),
      outputs_(outputs_of(graph, keep)),
      results_(outputs_.size() - (keep.caches ? graph.caches().size() : 0)),
      storage_(run_storage(graph)) {
  const Uses uses(graph, outputs_);
  const std::vector<Step>& steps = graph.steps();
  for (size_t s = 0; s < steps.size();) {
    Fusion fusion = fusion_at({graph, steps[s]}, uses, s);
    const size_t count = std::max<size_t>(fusion.steps, 1);
    if (fusion.steps == 0) fusion = {1, steps[s].inputs, {steps[s].output}, kernel_for};
    entries_.push_back({&steps[s], std::move(fusion), {}});
    s += count;
  }
  leave_out_unneeded();
  plan();
}

/// From the end backwards: leaves out entries whose results nothing needs, and notes in each entry
/// the tensors that it is the last to read.
void Schedule::leave_out_unneeded() {
  std::vector<bool> needed(graph_.tensors().size(), false);  // by storage
  const auto storage = [this](TensorId id) { return storage_[static_cast<size_t>(id)]; };
  for (const TensorId id : outputs_) needed[static_cast<size_t>(storage(id))] = true;
  std::vector<Entry> kept;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const std::vector<TensorId>& writes = entry->fusion.writes;
    if (std::none_of(writes.begin(), writes.end(),
                     [&](TensorId id) { return needed[static_cast<size_t>(storage(id))]; })) {
      continue;
    }
    for (const TensorId id : entry->fusion.reads) {
      const TensorId read = storage(id);
      if (graph_.tensor(read).role != Role::kActivation || needed[static_cast<size_t>(read)])
        continue;
      needed[static_cast<size_t>(read)] = true;
      entry->dead.push_back(read);
    }
    kept.push_back(std::move(*entry));
  }
  entries_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

void Schedule::plan() {
  offsets_.resize(graph_.tensors().size());
  std::vector<bool> own(graph_.tensors().size(), false);  // by storage: outputs have their own
  for (const TensorId id : outputs_)
    own[static_cast<size_t>(storage_[static_cast<size_t>(id)])] = true;
  std::vector<Occupancy> spans;
  std::vector<size_t> storages;  // parallel to spans
  std::vector<int> span_of(graph_.tensors().size(), -1);
  for (int e = 0; e < static_cast<int>(entries_.size()); ++e) {
    const Entry& entry = entries_[static_cast<size_t>(e)];
    for (const TensorId written : entry.fusion.writes) {
      const size_t id = static_cast<size_t>(storage_[static_cast<size_t>(written)]);
      if (own[id] || span_of[id] >= 0 || graph_.tensors()[id].role != Role::kActivation) continue;
      span_of[id] = static_cast<int>(spans.size());
      spans.push_back({in_cache_lines(elements(graph_.tensors()[id].shape)), e, e});
      storages.push_back(id);
    }
    for (const TensorId dead : entry.dead) {
      const int span = span_of[static_cast<size_t>(dead)];
      if (span >= 0) spans[static_cast<size_t>(span)].freed = e;
    }
  }
  const ArenaPlan plan = plan_arena(spans);
  for (size_t i = 0; i < spans.size(); ++i) offsets_[storages[i]] = plan.offsets[i];
  arena_size_ = plan.size;
}

Count Schedule::bytes(Dtype storage) const {
  Count floats = arena_size_, packed = 0;
  for (const Tensor& tensor : graph_.tensors()) {
    const bool view = tensor.storage != static_cast<TensorId>(&tensor - graph_.tensors().data());
    if (view || tensor.role == Role::kActivation || tensor.role == Role::kOptionalInput) continue;
    floats = sum(floats, elements(tensor.shape));
    if (tensor.role == Role::kParameter) packed = sum(packed, elements(tensor.shape));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const int copies = i < results_ ? 2 : 1;  // a result is copied when it is returned
    floats = sum(floats, product({copies, elements(graph_.tensor(outputs_[i]).shape)}));
  }
  return sum(product({floats, kFloatBytes}), product({packed, bytes_per_element(storage)}));
}

}  // namespace attnscope
