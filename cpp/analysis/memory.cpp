#include "memory.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr int kAdamMoments = 2;

class Reader {
 public:
  Reader(const Graph& graph, Dtype dtype)
      : graph_(graph),
        element_bytes_(bytes_per_element(dtype)),
        saved_(graph.tensors().size(), false) {}

  Memory read(bool with_training) {
    read_roles();
    read_timeline();
    memory_.inference_total = memory_.parameters + memory_.inputs + memory_.activations_peak;
    memory_.step_saved.assign(graph_.steps().size(), 0);
    if (with_training) read_training();
    return std::move(memory_);
  }

 private:
  Count bytes(TensorId id) const {
    return product({elements(graph_.tensor(id).shape), element_bytes_});
  }

  bool counted(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    return tensor.storage == id &&
           (tensor.role == Role::kInput || tensor.role == Role::kActivation);
  }

  void read_roles() {
    const TensorId count = static_cast<TensorId>(graph_.tensors().size());
    for (TensorId id = 0; id < count; ++id) {
      const Role role = graph_.tensor(id).role;
      if (role == Role::kParameter) memory_.parameters += bytes(id);
      if (role == Role::kInput) memory_.inputs += bytes(id);
    }
    for (const Result& result : graph_.results()) memory_.output += bytes(result.tensor);
  }

  void read_timeline() {
    const int last_step = static_cast<int>(graph_.steps().size()) - 1;
    std::vector<int> row(graph_.tensors().size(), -1);  // of a tensor in the timeline
    auto& timeline = memory_.timeline;
    const TensorId count = static_cast<TensorId>(graph_.tensors().size());
    for (TensorId id = 0; id < count; ++id) {
      if (graph_.tensor(id).role != Role::kInput) continue;
      row[static_cast<size_t>(id)] = static_cast<int>(timeline.size());
      timeline.push_back({id, bytes(id), 0, last_step});
    }
    const auto touch = [&](TensorId id, int step) {
      const TensorId storage = graph_.tensor(id).storage;
      const int index = row[static_cast<size_t>(storage)];
      if (index < 0) return;  // a parameter or an optional input
      Lifetime& life = timeline[static_cast<size_t>(index)];
      life.freed = std::max(life.freed, step);
    };
    for (int s = 0; s <= last_step; ++s) {
      const Step& step = graph_.steps()[static_cast<size_t>(s)];
      for (const TensorId id : step.inputs) touch(id, s);
      if (!counted(step.output)) continue;
      row[static_cast<size_t>(step.output)] = static_cast<int>(timeline.size());
      timeline.push_back({step.output, bytes(step.output), s, s});
    }
    for (const Result& result : graph_.results()) touch(result.tensor, last_step);

    for (int s = 0; s <= last_step; ++s) {
      Count alive = 0;
      for (const Lifetime& life : timeline) {
        const bool made = graph_.tensor(life.tensor).role == Role::kActivation;
        if (made && life.born <= s && s <= life.freed) alive += life.bytes;
      }
      memory_.activations_peak = std::max(memory_.activations_peak, alive);
    }
  }

  void save(TensorId id, Count& step_saved) {
    const TensorId storage = graph_.tensor(id).storage;
    if (!counted(storage) || saved_[static_cast<size_t>(storage)]) return;
    saved_[static_cast<size_t>(storage)] = true;
    step_saved += bytes(storage);
  }

  void read_training() {
    for (size_t s = 0; s < graph_.steps().size(); ++s) {
      const Step& step = graph_.steps()[s];
      const Saved saved = step.op->saved_for_backward();
      Count& step_saved = memory_.step_saved[s];
      for (const int input : saved.inputs)
        save(step.inputs[static_cast<size_t>(input)], step_saved);
      if (saved.output) save(step.output, step_saved);
      memory_.saved_for_backward += step_saved;
    }
    memory_.gradients = memory_.parameters;
    memory_.optimizer = kAdamMoments * memory_.parameters;

    Count also_alive = 0;
    const auto keep = [&](TensorId id) { save(id, also_alive); };
    for (const Lifetime& life : memory_.timeline) {
      if (graph_.tensor(life.tensor).role == Role::kInput) keep(life.tensor);
    }
    for (const Result& result : graph_.results()) keep(result.tensor);
    memory_.training_total = memory_.parameters + memory_.gradients + memory_.optimizer +
                             memory_.saved_for_backward + also_alive;
  }

  const Graph& graph_;
  const int element_bytes_;
  std::vector<bool> saved_;  // by storage
  Memory memory_;
};

}  // namespace

Memory memory(const Graph& graph, Dtype dtype) {
  return Reader(graph, dtype).read(trainable(dtype));
}

}  // namespace attnscope
