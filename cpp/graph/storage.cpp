#include "storage.h"

namespace attnscope {

namespace {

bool shares_memory(Aliasing aliasing, Sharing sharing) {
  if (aliasing == Aliasing::kStrided) return sharing != Sharing::kRun;
  if (aliasing == Aliasing::kUnlessTraining) return sharing != Sharing::kTraining;
  return aliasing != Aliasing::kNone;
}

}  // namespace

TensorId shared_input(const Step& step, TensorId output, Sharing sharing) {
  const Alias alias = step.alias(output);
  return shares_memory(alias.kind, sharing) ? step.inputs[alias.input] : kNoTensor;
}

std::vector<TensorId> storages(const Graph& graph, Sharing sharing) {
  std::vector<TensorId> storages;
  storages.reserve(graph.tensors().size());
  for (const Tensor& tensor : graph.tensors()) storages.push_back(tensor.storage);
  for (const Step& step : graph.steps()) {
    if (!step.op) continue;  // what a loop makes is no view
    for (const TensorId id : step.outputs()) {
      const TensorId shared = shared_input(step, id, sharing);
      storages[static_cast<size_t>(id)] =
          shared == kNoTensor ? id : storages[static_cast<size_t>(shared)];
    }
  }
  return storages;
}

}  // namespace attnscope
