#include "memory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "../graph/rows.h"
#include "../graph/storage.h"

namespace attnscope {
namespace {

constexpr Count kIndexBytes = 8;  // PyTorch's int64
constexpr Count kFloat32Bytes = 4;

/// One number for each tensor of a graph.
template <class Number>
class ByTensor {
 public:
  ByTensor(const Graph& graph, Number first) : numbers_(graph.tensors().size(), first) {}
  explicit ByTensor(std::vector<Number> numbers) : numbers_(std::move(numbers)) {}
  Number& operator[](TensorId id) { return numbers_[static_cast<size_t>(id)]; }
  Number operator[](TensorId id) const { return numbers_[static_cast<size_t>(id)]; }

 private:
  std::vector<Number> numbers_;
};
using Counts = ByTensor<Count>;

/// Of each input of a body, in the order of Graph::inputs().
using OfInputs = std::vector<Count>;

/// Whether it goes over queries and keys: products, scores, weights.
bool is_of_pairs(const Shape& shape) {
  const auto has = [&](Axis axis) {
    return std::any_of(shape.begin(), shape.end(),
                       [&](const Dimension& dimension) { return dimension.axis == axis; });
  };
  return has(Axis::kQuery) && has(Axis::kKey);
}

class Bytes {
 public:
  /// `pairs`: whether what has a number for each query and each key stands in memory.
  explicit Bytes(Dtype dtype, bool pairs = true)
      : element_bytes_(bytes_per_element(dtype)), pairs_(pairs) {}

  Count element() const { return element_bytes_; }
  Count of(const Tensor& tensor) const {
    if (!pairs_ && is_of_pairs(tensor.shape)) return 0;
    return product({elements(tensor.shape), tensor.limit > 0 ? kIndexBytes : element_bytes_});
  }
  Count of(const Graph& graph, TensorId id) const { return of(graph.tensor(id)); }

 private:
  Count element_bytes_;
  bool pairs_;
};

TensorId storage_of(const Graph& graph, TensorId id) { return graph.tensor(id).storage; }

bool is_last(const Loop& loop, size_t repetition) {
  return repetition + 1 == loop.list->order.size();
}

// ---- The most that is alive at once ----

/// Most bytes of activations at one step. A body counts of its inputs those bytes that `owned`
/// says, from its first step to the last that reads them; its caller counts the others. Of the
/// results the first `kept` stay to the end.
class Peak {
 public:
  Peak(const Graph& graph, Bytes bytes, const OfInputs& owned, size_t kept)
      : graph_(graph), bytes_(bytes), size_(graph, 0), last_read_(graph, 0) {
    const int last = static_cast<int>(graph.steps().size()) - 1;
    for (int s = 0; s <= last; ++s) {
      for (const TensorId id : graph.steps()[static_cast<size_t>(s)].inputs) read(id, s);
    }
    for (size_t r = 0; r < kept; ++r) read(graph.results()[r].tensor, last);
    const std::vector<TensorId> inputs = graph.inputs();
    for (size_t i = 0; i < owned.size(); ++i) size_[inputs[i]] = owned[i];
    for (const Count& given : owned) alive_ = sum(alive_, given);
    for (int s = 0; s <= last; ++s) run(graph.steps()[static_cast<size_t>(s)], s);
  }

  Count bytes() const { return peak_; }

 private:
  void read(TensorId id, int step) {
    int& last = last_read_[storage_of(graph_, id)];
    last = std::max(last, step);
  }

  void run(const Step& step, int s) {
    const Loop* loop = graph_.loop_of(step);
    if (loop) run_bodies(step, *loop, s);
    const auto make = [&](TensorId id) {
      if (storage_of(graph_, id) != id) return;
      size_[id] = bytes_.of(graph_, id);
      alive_ = sum(alive_, size_[id]);
      last_read_[id] = std::max(last_read_[id], s);
    };
    const auto free = [&](TensorId id) {
      const TensorId storage = storage_of(graph_, id);
      if (last_read_[storage] == s) alive_ -= std::exchange(size_[storage], 0);
    };
    if (loop) {
      for (const Loop::Output& output : loop->outputs) make(output.tensor);
    } else {
      for (const TensorId id : step.outputs()) make(id);
      peak_ = std::max(peak_, alive_);
    }
    for (const TensorId id : step.inputs) free(id);
    if (loop) {
      for (const Loop::Output& output : loop->outputs) free(output.tensor);
    } else {
      for (const TensorId id : step.outputs()) free(id);
    }
  }

  void run_bodies(const Step& step, const Loop& loop, int s) {
    struct Known {
      int kind;
      size_t kept;
      OfInputs owned;
      Count peak;
    };
    std::vector<Known> known;
    for (size_t r = 0; r < loop.list->order.size(); ++r) {
      const Body& body = loop.body_of(r);
      const size_t kept = is_last(loop, r) ? body.graph->results().size() : 1;
      Count around = alive_;
      OfInputs owned(body.arguments.size(), 0);
      if (r > 0) owned.front() = bytes_.of(*body.graph, body.graph->inputs().front());
      for (const TensorId id : step.inputs) {
        const TensorId given = storage_of(graph_, id);
        if (last_read_[given] != s) continue;
        const size_t last = last_taker(loop, given);
        if (r >= last) around -= size_[given];
        if (r == last) owned[place_of(given, body)] = size_[given];
      }
      auto same = std::find_if(known.begin(), known.end(), [&](const Known& one) {
        return one.kind == loop.list->order[r] && one.kept == kept && one.owned == owned;
      });
      if (same == known.end()) {
        const Count peak = Peak(*body.graph, bytes_, owned, kept).bytes();
        same = known.insert(same, {loop.list->order[r], kept, owned, peak});
      }
      peak_ = std::max(peak_, sum(around, same->peak));
    }
  }

  /// Where a body takes what is given, or how many inputs it has.
  size_t place_of(TensorId given, const Body& body) const {
    const auto place =
        std::find_if(body.arguments.begin(), body.arguments.end(),
                     [&](const Argument& one) { return storage_of(graph_, one.given) == given; });
    return static_cast<size_t>(place - body.arguments.begin());
  }

  /// The last repetition that takes what is given: of what is carried the first.
  size_t last_taker(const Loop& loop, TensorId given) const {
    size_t last = loop.list->order.size() - 1;
    while (last > 0) {
      const size_t place = place_of(given, loop.body_of(last));
      if (place != 0 && place < loop.body_of(last).arguments.size()) break;
      --last;
    }
    return last;
  }

  const Graph& graph_;
  const Bytes bytes_;
  Counts size_;  // by storage, of what is alive
  ByTensor<int> last_read_;
  Count alive_ = 0, peak_ = 0;
};

// ---- What is alive when ----

class Timeline {
 public:
  Timeline(const Graph& graph, Bytes bytes) : bytes_(bytes) {
    ByTensor<int> index(graph, kNone);
    for (const TensorId id : graph.inputs()) {
      if (graph.tensor(id).role == Role::kInput) index[id] = add(graph, id, nullptr, "", 0);
    }
    const int inputs = static_cast<int>(lives_.size());
    read(graph, nullptr, "", index);
    const int last = row_ - 1;
    for (int i = 0; i < inputs; ++i) touch(i, last);
    for (const Result& result : graph.results()) {
      touch(index[storage_of(graph, result.tensor)], last);
    }
  }

  std::vector<Lifetime> take() { return std::move(lives_); }

 private:
  static constexpr int kNone = -1;

  int add(const Graph& graph, TensorId id, const Body* body, const std::string& prefix, int row) {
    const Tensor& tensor = graph.tensor(id);
    lives_.push_back({name_in(graph, id, body, prefix), &tensor, bytes_.of(tensor), row, row});
    return static_cast<int>(lives_.size()) - 1;
  }
  void touch(int life, int row) {
    if (life == kNone) return;  // a parameter or an optional input
    int& freed = lives_[static_cast<size_t>(life)].freed;
    freed = std::max(freed, row);
  }

  /// `index`: of each storage its place in the timeline.
  void read(const Graph& graph, const Body* body, const std::string& prefix, ByTensor<int>& index) {
    for (const Step& step : graph.steps()) {
      if (const Loop* loop = graph.loop_of(step)) {
        read_loop(graph, *loop, prefix, index);
        continue;
      }
      for (const TensorId id : step.inputs) touch(index[storage_of(graph, id)], row_);
      for (const TensorId id : step.outputs()) {
        if (storage_of(graph, id) == id) index[id] = add(graph, id, body, prefix, row_);
      }
      ++row_;
    }
  }

  void read_loop(const Graph& graph, const Loop& loop, const std::string& prefix,
                 ByTensor<int>& index) {
    const size_t last = static_cast<size_t>(loop.list->order.back());
    int carried = index[storage_of(graph, loop.bodies.front().arguments.front().given)];
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      const Body& body = loop.bodies[kind];
      const std::vector<TensorId> inputs = body.graph->inputs();
      ByTensor<int> inner(*body.graph, kNone);
      for (size_t i = 1; i < inputs.size(); ++i) {
        inner[inputs[i]] = index[storage_of(graph, body.arguments[i].given)];
      }
      inner[inputs.front()] = carried;
      read(*body.graph, &body, prefix + body.prefix, inner);
      const std::vector<Result>& results = body.graph->results();
      carried = inner[results.front().tensor];
      touch(carried, row_ - 1);
      for (size_t r = 0; r < results.size() && kind == last; ++r) {
        index[loop.outputs[r].tensor] = inner[results[r].tensor];
      }
    }
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      if (loop.list->times(kind) == 1)
        continue;  // else the next repetition needs what is no part of it
      const std::vector<Argument>& arguments = loop.bodies[kind].arguments;
      for (size_t i = 1; i < arguments.size(); ++i) {
        touch(index[storage_of(graph, arguments[i].given)], row_ - 1);
      }
    }
  }

  const Bytes bytes_;
  std::vector<Lifetime> lives_;
  int row_ = 0;
};

// ---- What training keeps ----

/// What autograd keeps. `owed`: the bytes that a storage takes when it is first kept, 0 once it is.
class Saving {
 public:
  /// Of a layer.
  Saving(const Graph& graph, Bytes bytes) : Saving(graph, bytes, owed_inputs(graph, bytes)) {}

  std::vector<Count> rows;  // parallel to rows_of(graph)

  /// Bytes of a tensor unless it is kept already; from now on it is.
  Count keep(TensorId id) { return std::exchange(owed_[storage_[id]], 0); }
  Count owed(TensorId id) const { return owed_[storage_[id]]; }

 private:
  /// Of a body whose inputs owe what `inputs` says.
  Saving(const Graph& graph, Bytes bytes, const OfInputs& inputs)
      : graph_(graph),
        bytes_(bytes),
        storage_(storages(graph, Sharing::kTraining)),
        owed_(graph, 0) {
    const std::vector<TensorId> ids = graph.inputs();
    for (size_t i = 0; i < ids.size(); ++i) owed_[ids[i]] = inputs[i];
    for (const Step& step : graph.steps()) {
      if (const Loop* loop = graph.loop_of(step)) {
        run_loop(*loop);
      } else {
        run(step);
      }
    }
  }

  static OfInputs owed_inputs(const Graph& graph, Bytes bytes) {
    OfInputs owed;
    for (const TensorId id : graph.inputs()) {
      owed.push_back(graph.tensor(id).role == Role::kInput ? bytes.of(graph, id) : 0);
    }
    return owed;
  }

  void run(const Step& step) {
    for (const TensorId id : step.outputs()) {
      if (storage_[id] == id) owed_[id] = bytes_.of(graph_, id);
    }
    const Saved saved =
        step.op->saved_for_backward(graph_.input_shapes(step), graph_.tensor(step.output).shape);
    Count kept = sum(product({saved.elements, bytes_.element()}), saved.bytes);
    for (const int index : saved.inputs) {
      const TensorId input = step.inputs[static_cast<size_t>(index)];
      const bool copied = saved.float32_copies && bytes_.element() != kFloat32Bytes;
      kept = sum(kept, copied ? product({kFloat32Bytes, elements(graph_.tensor(input).shape)})
                              : keep(input));
    }
    for (const int index : saved.outputs) kept = sum(kept, keep(step.output + index));
    rows.push_back(kept);
  }

  void run_loop(const Loop& loop) {
    std::vector<size_t> first_row;
    for (const Body& body : loop.bodies) {
      first_row.push_back(rows.size());
      rows.resize(rows.size() + count_rows(*body.graph), 0);
    }
    std::vector<std::pair<OfInputs, std::optional<Saving>>> known(loop.bodies.size());
    Count carried = owed(loop.bodies.front().arguments.front().given);
    for (size_t i = 0; i < loop.list->order.size(); ++i) {
      const size_t kind = static_cast<size_t>(loop.list->order[i]);
      const Body& body = loop.bodies[kind];
      OfInputs inputs;
      for (const Argument& argument : body.arguments) inputs.push_back(owed(argument.given));
      if (i > 0) inputs.front() = carried;
      // A repetition keeps what the last one of this body did, if it is given the same.
      auto& [given, made] = known[kind];
      if (!made || given != inputs) made.emplace(Saving(*body.graph, bytes_, inputs));
      given = std::move(inputs);
      take(loop, i, *made, first_row[kind]);
      carried = made->owed(body.graph->results().front().tensor);
    }
    const Body& last = loop.last_body();
    const Saving& made = *known[static_cast<size_t>(loop.list->order.back())].second;
    for (size_t r = 0; r < loop.outputs.size(); ++r) {
      owed_[loop.outputs[r].tensor] = made.owed(last.graph->results()[r].tensor);
    }
  }

  void take(const Loop& loop, size_t repetition, const Saving& made, size_t first_row) {
    for (size_t r = 0; r < made.rows.size(); ++r) {
      rows[first_row + r] = sum(rows[first_row + r], made.rows[r]);
    }
    const Body& body = loop.body_of(repetition);
    const std::vector<TensorId> inputs = body.graph->inputs();
    for (size_t i = repetition > 0 ? 1 : 0; i < inputs.size(); ++i) {
      if (made.owed(inputs[i]) == 0) keep(body.arguments[i].given);
    }
  }

  const Graph& graph_;
  const Bytes bytes_;
  const ByTensor<TensorId> storage_;
  Counts owed_;  // by storage; parameters and optional inputs owe nothing
};

void read_training(const Graph& graph, Bytes bytes, Memory& memory) {
  Saving saving(graph, bytes);
  for (const Count saved : saving.rows) {
    memory.saved_for_backward = sum(memory.saved_for_backward, saved);
  }
  memory.step_saved = saving.rows;
  memory.gradients = memory.parameters;
  Count also_alive = 0;
  for (const TensorId id : graph.inputs()) also_alive = sum(also_alive, saving.keep(id));
  for (const Result& result : graph.results()) {
    also_alive = sum(also_alive, saving.keep(result.tensor));
  }
  memory.kept_for_backward =
      memory.parameters + memory.gradients + memory.saved_for_backward + also_alive;
}

void add_caches(const Graph& graph, int64_t times, Count element_bytes, KvCache& total) {
  for (const StateUse& state : graph.states()) {
    if (state.rule != StateUse::Rule::kAppended) continue;
    const Shape& shape = graph.tensor(state.after).shape;
    const int64_t length = shape[shape.size() - 2];
    const Count kept = state.window ? std::min<Count>(length, *state.window) : length;
    const Count token = product({times, elements(shape) / shape[0] / length, element_bytes});
    total.bytes_per_token = sum(total.bytes_per_token, token);
    total.bytes_per_sequence = sum(total.bytes_per_sequence, product({token, kept}));
    total.bytes = sum(total.bytes, product({token, kept, shape[0]}));
  }
  for (const Loop& loop : graph.loops()) {
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      add_caches(*loop.bodies[kind].graph, times * loop.list->times(kind), element_bytes, total);
    }
  }
}

}  // namespace

Memory memory(const Graph& graph, Dtype dtype) {
  const Bytes bytes(dtype);
  Memory memory;
  memory.parameters = product({graph.parameters().elements(), bytes.element()});
  for (const TensorId id : graph.inputs()) {
    if (graph.tensor(id).role != Role::kInput) continue;
    memory.inputs = sum(memory.inputs, bytes.of(graph, id));
  }
  for (const Result& result : graph.results()) {
    memory.output = sum(memory.output, bytes.of(graph, result.tensor));
  }
  memory.activations_peak = Peak(graph, bytes, {}, graph.results().size()).bytes();
  memory.inference_total = memory.parameters + memory.inputs + memory.activations_peak;
  memory.activations_peak_without_weights =
      Peak(graph, Bytes(dtype, false), {}, graph.results().size()).bytes();
  memory.inference_total_without_weights =
      memory.parameters + memory.inputs + memory.activations_peak_without_weights;
  if (trainable(dtype)) {
    read_training(graph, bytes, memory);
  } else {
    memory.step_saved.assign(count_rows(graph), 0);
  }
  return memory;
}

std::vector<Lifetime> timeline(const Graph& graph, Dtype dtype) {
  return Timeline(graph, Bytes(dtype)).take();
}

KvCache kv_cache(const Graph& graph, Dtype dtype) {
  KvCache total;
  add_caches(graph, 1, bytes_per_element(dtype), total);
  return total;
}

}  // namespace attnscope
