#include "memory.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr int kAdamMoments = 2;

constexpr Count kIndexBytes = 8;  // PyTorch's int64
constexpr Count kFloat32Bytes = 4;

class Reader {
 public:
  Reader(const Graph& graph, Dtype dtype)
      : graph_(graph), element_bytes_(bytes_per_element(dtype)) {}

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
    const Tensor& tensor = graph_.tensor(id);
    return product({elements(tensor.shape), tensor.limit > 0 ? kIndexBytes : element_bytes_});
  }

  void read_roles() {
    for (const Module& module : graph_.modules()) {
      for (const TensorId id : module.parameters) {
        memory_.parameters = sum(memory_.parameters, product({graph_.times(id), bytes(id)}));
      }
    }
    for (const TensorId id : graph_.inputs()) {
      if (graph_.tensor(id).role == Role::kInput) memory_.inputs += bytes(id);
    }
    for (const Result& result : graph_.results()) memory_.output += bytes(result.tensor);
  }

  /// A repetition of a block that another one follows, which needs once more what comes from
  /// outside the block; and the last, which makes what the steps after the block read.
  enum Repetition { kEarlier, kLast };

  void add_lifetime(TensorId id, int born, int freed) {
    row_[static_cast<size_t>(id)] = static_cast<int>(memory_.timeline.size());
    memory_.timeline.push_back({id, bytes(id), born, freed});
    for (std::vector<int>& one : freed_) one.push_back(freed);
  }

  void touch(TensorId id, int step, Repetition repetition) {
    const int index = row_[static_cast<size_t>(graph_.tensor(id).storage)];
    if (index < 0) return;  // a parameter or an optional input
    Lifetime& life = memory_.timeline[static_cast<size_t>(index)];
    int& freed = freed_[repetition][static_cast<size_t>(index)];
    freed = std::max(freed, step);
    life.freed = std::max(life.freed, step);
  }

  void touch_inputs(int s, const Block* block) {
    for (const TensorId id : graph_.steps()[static_cast<size_t>(s)].inputs) {
      const bool inside = graph_.tensor(id).block != kNoBlock;
      const bool outer = block && block->times > 1 && !inside && id != block->carried_in;
      touch(id, s, kLast);
      if (outer) touch(id, static_cast<int>(block->end_step) - 1, kEarlier);
      if (!outer && (block || !inside)) touch(id, s, kEarlier);
    }
  }

  void read_timeline() {
    const int last_step = static_cast<int>(graph_.steps().size()) - 1;
    row_.assign(graph_.tensors().size(), -1);
    for (const TensorId id : graph_.inputs()) {
      if (graph_.tensor(id).role == Role::kInput) add_lifetime(id, 0, last_step);
    }
    for (int s = 0; s <= last_step; ++s) {
      const Step& step = graph_.steps()[static_cast<size_t>(s)];
      const Block* block = graph_.block_of(step.output);
      touch_inputs(s, block);
      if (graph_.tensor(step.output).storage == step.output) add_lifetime(step.output, s, s);
      if (block && static_cast<size_t>(s) + 1 == block->end_step) {
        for (const Repetition one : {kEarlier, kLast}) touch(block->carried_out, s, one);
      }
    }
    for (const Result& result : graph_.results()) {
      touch(result.tensor, last_step, kLast);
      if (graph_.tensor(result.tensor).block == kNoBlock) touch(result.tensor, last_step, kEarlier);
    }
    for (int s = 0; s <= last_step; ++s) {
      const Block* block = graph_.block_of(graph_.steps()[static_cast<size_t>(s)].output);
      const Count earlier = block && block->times > 1 ? alive(s, kEarlier) : 0;
      memory_.activations_peak = std::max({memory_.activations_peak, earlier, alive(s, kLast)});
    }
  }

  /// Bytes of step outputs alive at a step.
  Count alive(int step, Repetition repetition) const {
    Count total = 0;
    for (size_t i = 0; i < memory_.timeline.size(); ++i) {
      const Lifetime& life = memory_.timeline[i];
      const bool made = graph_.tensor(life.tensor).role == Role::kActivation;
      if (made && life.born <= step && step <= freed_[repetition][i]) total += life.bytes;
    }
    return total;
  }

  void read_training() {
    read_training_storage();
    for (std::vector<bool>& saved : saved_) saved.assign(graph_.tensors().size(), false);
    const std::vector<Step>& steps = graph_.steps();
    for (size_t s = 0; s < steps.size();) {
      const Block* block = graph_.block_of(steps[s].output);
      const size_t end = block ? block->end_step : s + 1;
      save_steps(s, end, 0, 1);
      // Every further repetition keeps what the second one does.
      if (block && block->times > 1) save_steps(s, end, 1, block->times - 1);
      s = end;
    }
    for (const Count saved : memory_.step_saved) {
      memory_.saved_for_backward = sum(memory_.saved_for_backward, saved);
    }
    memory_.gradients = memory_.parameters;
    memory_.optimizer = product({kAdamMoments, memory_.parameters});

    Count also_alive = 0;
    for (const Lifetime& life : memory_.timeline) {
      if (graph_.tensor(life.tensor).role == Role::kInput) save(life.tensor, 0, also_alive);
    }
    for (const Result& result : graph_.results()) {
      save(result.tensor, last_repetition(result.tensor), also_alive);
    }
    memory_.training_total = memory_.parameters + memory_.gradients + memory_.optimizer +
                             memory_.saved_for_backward + also_alive;
  }

  /// As Tensor::storage, but for what is a view in inference only.
  void read_training_storage() {
    for (const Tensor& tensor : graph_.tensors()) training_storage_.push_back(tensor.storage);
    for (const Step& step : graph_.steps()) {
      const Aliasing aliasing = step.op->aliasing();
      const bool own = aliasing == Aliasing::kNone || aliasing == Aliasing::kUnlessTraining;
      training_storage_[static_cast<size_t>(step.output)] =
          own ? step.output : training_storage_[static_cast<size_t>(step.inputs[0])];
    }
  }

  /// Adds what the steps [first, end) save in the first repetition of their block (0), or in the
  /// second (1), `times` times.
  void save_steps(size_t first, size_t end, int repetition, int64_t times) {
    for (size_t s = first; s < end; ++s) {
      const Step& step = graph_.steps()[s];
      const Saved saved =
          step.op->saved_for_backward(graph_.input_shapes(step), graph_.tensor(step.output).shape);
      Count step_saved = sum(product({saved.elements, element_bytes_}), saved.bytes);
      const bool inside = graph_.tensor(step.output).block != kNoBlock;
      for (const int index : saved.inputs) {
        const TensorId input = step.inputs[static_cast<size_t>(index)];
        if (saved.float32_copies && element_bytes_ != kFloat32Bytes) {
          step_saved =
              sum(step_saved, product({kFloat32Bytes, elements(graph_.tensor(input).shape)}));
          continue;
        }
        save(input, inside ? repetition : last_repetition(input), step_saved);
      }
      if (saved.output) save(step.output, repetition, step_saved);
      memory_.step_saved[s] = sum(memory_.step_saved[s], product({times, step_saved}));
    }
  }

  /// Which repetition what follows a block sees: of many the last, for which the second stands.
  int last_repetition(TensorId id) const {
    return graph_.times(training_storage_[static_cast<size_t>(id)]) > 1 ? 1 : 0;
  }

  void save(TensorId id, int repetition, Count& saved) {
    const TensorId storage = training_storage_[static_cast<size_t>(id)];
    const Tensor& tensor = graph_.tensor(storage);
    if (tensor.role != Role::kInput && tensor.role != Role::kActivation) return;
    for (const Block& block : graph_.blocks()) {
      if (repetition > 0 && storage == block.carried_in) return save(block.carried_out, 0, saved);
    }
    std::vector<bool>& done = saved_[tensor.block == kNoBlock ? 0 : repetition];
    if (done[static_cast<size_t>(storage)]) return;
    done[static_cast<size_t>(storage)] = true;
    saved = sum(saved, bytes(storage));
  }

  const Graph& graph_;
  const int element_bytes_;
  std::vector<int> row_;       // of a tensor in the timeline, or -1
  std::vector<int> freed_[2];  // parallel to the timeline, by repetition
  std::vector<TensorId> training_storage_;
  std::vector<bool> saved_[2];  // by storage, in the first repetition and in the second
  Memory memory_;
};

}  // namespace

Memory memory(const Graph& graph, Dtype dtype) {
  return Reader(graph, dtype).read(trainable(dtype));
}

KvCache kv_cache(const Graph& graph, Dtype dtype) {
  KvCache total;
  for (const Cache& cache : graph.caches()) {
    const Shape& shape = graph.tensor(cache.present).shape;
    const int64_t times = graph.times(cache.present);
    const int64_t full = cache.full_every > 0 ? times / cache.full_every : 0;
    const Count length = elements(shape) / shape[0] / cache.token_elements;
    const Count kept = cache.window ? std::min<Count>(length, *cache.window) : length;
    const Count token = product({cache.token_elements, bytes_per_element(dtype)});
    const Count tokens = sum(product({times - full, kept}), product({full, length}));
    total.bytes_per_token = sum(total.bytes_per_token, product({times, token}));
    total.bytes_per_sequence = sum(total.bytes_per_sequence, product({token, tokens}));
    total.bytes = sum(total.bytes, product({token, tokens, shape[0]}));
  }
  return total;
}

}  // namespace attnscope
