#include "unroll.h"

#include <string>
#include <utility>

namespace attnscope {

/// Copies a graph part by part; of what belongs to a block, one copy for each repetition.
class Unroller {
 public:
  explicit Unroller(const Graph& graph) : from_(graph), ids_(graph.tensors().size()) {}

  Graph run() {
    copy_tensors();
    copy_modules();
    copy_draws();
    copy_steps();
    for (const Result& result : from_.results()) {
      to_.add_result(result.name, last(result.tensor));
    }
    for (const Cache& cache : from_.caches()) {
      for (int64_t i = 0; i < from_.times(cache.present); ++i) {
        Cache copy = cache;
        if (cache.past != kNoTensor) copy.past = at(cache.past, i);
        copy.present = at(cache.present, i);
        to_.add_cache(copy);
      }
    }
    to_.inherit(from_.base(), from_.base_arguments());
    return std::move(to_);
  }

 private:
  const Block& block(int index) const { return from_.blocks()[static_cast<size_t>(index)]; }

  /// The copy of a tensor as repetition `i` sees it.
  TensorId at(TensorId id, int64_t i) const {
    for (const Block& one : from_.blocks()) {
      if (id == one.carried_in && i > 0) return at(one.carried_out, i - 1);
    }
    const std::vector<TensorId>& copies = ids_[static_cast<size_t>(id)];
    return copies.size() == 1 ? copies[0] : copies[static_cast<size_t>(i)];
  }

  /// The copy that what follows the block sees.
  TensorId last(TensorId id) const { return at_end(id, from_.tensor(id).block); }

  TensorId at_end(TensorId id, int of_block) const {
    return ids_[static_cast<size_t>(id)]
               [of_block == kNoBlock ? 0 : static_cast<size_t>(block(of_block).times - 1)];
  }

  std::string name_of(Text name, int of_block, int64_t i) const {
    return of_block == kNoBlock ? name.string()
                                : format("{}.{}.{}", {block(of_block).name, i, name});
  }

  void copy_tensors() {
    for (size_t id = 0; id < from_.tensors().size(); ++id) {
      const Tensor& tensor = from_.tensors()[id];
      for (int64_t i = 0; i < from_.times(static_cast<TensorId>(id)); ++i) {
        Tensor copy = tensor;
        copy.name = name_of(tensor.name, tensor.block, i);
        copy.block = kNoBlock;
        const bool view = tensor.storage != static_cast<TensorId>(id);
        copy.storage = view && tensor.role != Role::kActivation ? at(tensor.storage, i) : kNoTensor;
        if (view && tensor.role == Role::kInput) {  // each repetition's part of a stacked input
          copy.offset = i * static_cast<int64_t>(elements(tensor.shape));
        }
        ids_[id].push_back(to_.add_tensor(std::move(copy)));
      }
    }
  }

  void copy_modules() {
    const std::vector<Module>& modules = from_.modules();
    modules_.resize(modules.size());
    for (size_t m = 0; m < modules.size();) {
      size_t end = m + 1;
      while (modules[m].block != kNoBlock && end < modules.size() &&
             modules[end].block == modules[m].block) {
        ++end;
      }
      const int64_t times = modules[m].block == kNoBlock ? 1 : block(modules[m].block).times;
      for (int64_t i = 0; i < times; ++i) {
        for (size_t one = m; one < end; ++one) copy_module(one, i);
      }
      m = end;
    }
  }

  void copy_module(size_t index, int64_t i) {
    const Module& module = from_.modules()[index];
    Module copy{name_of(module.name, module.block, i), module.constructor, {}, kNoBlock};
    for (const TensorId id : module.parameters) copy.parameters.push_back(at(id, i));
    modules_[index].push_back(static_cast<int>(to_.modules_.size()));
    to_.modules_.push_back(std::move(copy));
  }

  /// The draws of a block follow each other; the generator goes through them once a repetition.
  void copy_draws() {
    const std::vector<Draw>& draws = from_.draws();
    const auto block_of = [&](size_t d) { return from_.tensor(draws[d].parameter).block; };
    for (size_t d = 0; d < draws.size();) {
      size_t end = d + 1;
      while (block_of(d) != kNoBlock && end < draws.size() && block_of(end) == block_of(d)) ++end;
      for (int64_t i = 0; i < from_.times(draws[d].parameter); ++i) {
        for (size_t one = d; one < end; ++one) {
          to_.draw(at(draws[one].parameter, i), draws[one].init);
        }
      }
      d = end;
    }
  }

  void copy_steps() {
    const std::vector<Step>& steps = from_.steps();
    for (size_t s = 0; s < steps.size();) {
      const int of_block = from_.tensor(steps[s].output).block;
      const size_t end = of_block == kNoBlock ? s + 1 : block(of_block).end_step;
      const int64_t times = of_block == kNoBlock ? 1 : block(of_block).times;
      for (int64_t i = 0; i < times; ++i) {
        for (size_t one = s; one < end; ++one) copy_step(steps[one], of_block, i);
      }
      s = end;
    }
  }

  void copy_step(const Step& step, int of_block, int64_t i) {
    Step copy = step;
    copy.name = name_of(step.name, of_block, i);
    for (TensorId& id : copy.inputs) id = of_block == kNoBlock ? last(id) : at(id, i);
    copy.output = at(step.output, i);
    if (step.exception.every > 0 && (i + 1) % step.exception.every == 0) {
      copy.op = step.exception.op;
    }
    copy.exception = {};
    if (step.module >= 0) {
      const std::vector<int>& copies = modules_[static_cast<size_t>(step.module)];
      copy.module = copies[copies.size() == 1 ? 0 : static_cast<size_t>(i)];
    }
    Tensor& output = to_.tensors_[static_cast<size_t>(copy.output)];
    if (step.op->aliasing() != Aliasing::kNone) {
      output.storage = to_.tensor(copy.inputs[0]).storage;
    }
    to_.steps_.push_back(std::move(copy));
  }

  const Graph& from_;
  Graph to_;
  std::vector<std::vector<TensorId>> ids_;  // of each tensor, its copies by repetition
  std::vector<std::vector<int>> modules_;   // the same of modules
};

Graph unroll(const Graph& graph) { return Unroller(graph).run(); }

}  // namespace attnscope
