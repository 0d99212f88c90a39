#include "storage.h"

namespace attnscope {

bool shares_memory(const Op& op, Sharing sharing) {
  const Aliasing aliasing = op.aliasing();
  if (aliasing == Aliasing::kStrided) return sharing != Sharing::kRun;
  if (aliasing == Aliasing::kUnlessTraining) return sharing != Sharing::kTraining;
  return aliasing != Aliasing::kNone;
}

std::vector<TensorId> storages(const Graph& graph, Sharing sharing) {
  std::vector<TensorId> storages;
  storages.reserve(graph.tensors().size());
  for (const Tensor& tensor : graph.tensors()) storages.push_back(tensor.storage);
  for (const Step& step : graph.steps()) {
    if (!step.op) continue;  // what a call makes is no view
    TensorId& storage = storages[static_cast<size_t>(step.output)];
    const bool shared = shares_memory(*step.op, sharing);
    storage = shared ? storages[static_cast<size_t>(step.inputs[0])] : step.output;
  }
  return storages;
}

}  // namespace attnscope
