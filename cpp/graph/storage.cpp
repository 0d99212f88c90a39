#include "storage.h"

#include <algorithm>
#include <optional>

namespace attnscope {

namespace {

bool shares_memory(Aliasing aliasing, Sharing sharing) {
  if (aliasing == Aliasing::kStrided) return sharing != Sharing::kRun;
  if (aliasing == Aliasing::kUnlessTraining) return sharing != Sharing::kTraining;
  return aliasing != Aliasing::kNone;
}

/// Until when the numbers of a run's tensors are needed.
class Needs {
 public:
  Needs(const Graph& graph, std::span<const TensorId> handed_out)
      : graph_(graph), last_(graph.tensors().size(), -1) {
    for (size_t s = 0; s < graph.steps().size(); ++s) {
      for (const TensorId id : graph.steps()[s].inputs) at(id) = static_cast<int>(s);
    }
    for (const TensorId id : handed_out) at(id) = static_cast<int>(graph.steps().size());
  }

  /// Says that a tensor is in the memory of `storage`.
  void share(TensorId id, TensorId storage) { at(storage) = std::max(at(storage), at(id)); }

  /// Whether step `s` may write over what is in `storage`. Parameters and state are there to be
  /// updated; inputs are the caller's.
  bool may_overwrite(TensorId storage, size_t s) const {
    const Role role = graph_.tensor(storage).role;
    if (role == Role::kParameter || role == Role::kState) return true;
    return role == Role::kActivation && last_[static_cast<size_t>(storage)] <= static_cast<int>(s);
  }

 private:
  int& at(TensorId id) { return last_[static_cast<size_t>(id)]; }

  const Graph& graph_;
  std::vector<int> last_;  // by tensor, and of what all do that share its memory: a step's place
};

}  // namespace

TensorId shared_input(const Step& step, TensorId output, Sharing sharing) {
  const Alias alias = step.alias(output);
  return shares_memory(alias.kind, sharing) ? step.inputs[alias.input] : kNoTensor;
}

std::vector<TensorId> storages(const Graph& graph, Sharing sharing,
                               std::span<const TensorId> handed_out) {
  std::vector<TensorId> storages;
  storages.reserve(graph.tensors().size());
  for (const Tensor& tensor : graph.tensors()) storages.push_back(tensor.storage);
  if (sharing == Sharing::kInference) return storages;
  std::optional<Needs> needs;
  if (sharing == Sharing::kRun) needs.emplace(graph, handed_out);
  for (size_t s = 0; s < graph.steps().size(); ++s) {
    const Step& step = graph.steps()[s];
    for (const TensorId id : step.outputs()) {  // none of a loop, which makes no view
      const TensorId shared = shared_input(step, id, sharing);
      TensorId& storage = storages[static_cast<size_t>(id)];
      storage = shared == kNoTensor ? id : storages[static_cast<size_t>(shared)];
      if (!needs) continue;
      const bool in_place = step.alias(id).kind == Aliasing::kInPlace;
      if (in_place && !needs->may_overwrite(storage, s)) storage = id;
      needs->share(id, storage);
    }
  }
  return storages;
}

}  // namespace attnscope
