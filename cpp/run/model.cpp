#include "model.h"

#include <algorithm>
#include <utility>

#include "../graph/unroll.h"

namespace attnscope {
namespace {

constexpr Count kFloatBytes = 4;

/// The graph that runs, refused before anything is allocated: past the limit sizes would also
/// overflow the 32 bits of WebAssembly's size_t.
Graph checked_graph(const Config& config, Count memory_limit) {
  const Graph graph = config.layer().build(config);
  const Count bytes = bytes_to_run(graph);
  if (bytes > memory_limit) {
    throw FieldError("", "the layer must need at most " + to_string(memory_limit) +
                             " bytes to run, got " + to_string(bytes));
  }
  return unroll(graph);
}

/// Masks whose last dimension is 1, with that repeated: kernels read whole rows. `spread` owns
/// them.
Inputs with_whole_rows(const Graph& graph, Inputs inputs, std::vector<Values>& spread) {
  spread.reserve(inputs.size());
  for (size_t id = 0; id < inputs.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (!inputs[id] || tensor.role != Role::kOptionalInput) continue;
    Shape shape = shape_of(*inputs[id]);
    if (shape.empty()) shape.push_back(1);
    if (shape.back() == tensor.shape.back()) continue;
    shape.back() = tensor.shape.back();
    Values& rows = spread.emplace_back(make_values(shape));
    for (size_t i = 0; i < rows.size(); ++i) {
      rows.data()[i] = inputs[id]->data()[i / static_cast<size_t>(shape.back())];
    }
    inputs[id] = &rows;
  }
  return inputs;
}

/// The last positions of a cache (B, ..., S, D): all, or as many as its window lets a step see.
Values kept(Values present, const Cache& cache) {
  const Shape shape = shape_of(present);
  const int64_t length = shape[shape.size() - 2], features = shape.back();
  if (!cache.window || cache.full_every > 0 || length < *cache.window) return present;
  const int64_t keep = *cache.window - 1;
  Shape fewer = shape;
  fewer[shape.size() - 2] = keep;
  Values last = make_values(fewer);
  for (int64_t row = 0; row < static_cast<int64_t>(present.size()) / (length * features); ++row) {
    std::copy_n(present.data() + (row * length + length - keep) * features, keep * features,
                last.data() + row * keep * features);
  }
  return last;
}

}  // namespace

Count bytes_to_run(const Graph& graph) {
  const std::vector<TensorId> storage = run_storage(graph);
  Count count = 0;
  for (size_t id = 0; id < storage.size(); ++id) {
    if (storage[id] != static_cast<TensorId>(id)) continue;
    const Tensor& tensor = graph.tensors()[id];
    const int copies = tensor.role == Role::kParameter ? 2 : 1;  // a parameter is packed as well
    const int64_t times = graph.times(static_cast<TensorId>(id));
    count = sum(count, product({copies, times, elements(tensor.shape)}));
  }
  for (const Result& result : graph.results()) {
    count = sum(count, elements(graph.tensor(result.tensor).shape));  // the copy that leaves
  }
  return product({count, kFloatBytes});
}

Model::Model(const Config& config, uint64_t seed, Count memory_limit)
    : config_(config),
      memory_limit_(memory_limit),
      graph_(checked_graph(config, memory_limit)),
      weights_(std::make_unique<Weights>(graph_, initial_state(graph_, seed))) {}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  const std::vector<TensorId> order = state_order(graph_);
  for (size_t i = 0; i < order.size(); ++i) {
    entries.push_back({graph_.tensor(order[i]).name, &weights_->state[i]});
  }
  return entries;
}

void Model::load_state(State values) {
  weights_ = std::make_unique<Weights>(graph_, std::move(values));
  clear_cache();
}

Outputs Model::run(const Weights& weights, const Inputs& inputs,
                   const ForwardOptions& options) const {
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(graph_, inputs, spread);
  if (options.reference) {
    return run_reference(graph_, parameters_of(graph_, weights.state), whole,
                         {.weights = options.weights});
  }
  return (options.weights ? weights.program : weights.without_weights).run(whole);
}

Forward Model::forward(const Inputs& inputs, const ForwardOptions& options) const {
  if (options.round) return forward_rounded(inputs, options);
  return {run(*weights_, inputs, options), std::nullopt};
}

Forward Model::forward_rounded(const Inputs& inputs, const ForwardOptions& options) const {
  State state = weights_->state;
  for (Values& values : state) {
    const bool bias = options.round == Dtype::kInt8 && values.dimension() < 2;
    if (!bias) round_to(*options.round, values);
  }
  std::vector<Values> rounded(inputs.size());
  Inputs rounded_inputs = inputs;
  for (size_t id = 0; id < inputs.size(); ++id) {
    const Tensor& tensor = graph_.tensors()[id];
    // Neither a mask nor token ids are numbers of the layer's format.
    if (!inputs[id] || tensor.role != Role::kInput || tensor.limit > 0) continue;
    rounded[id] = *inputs[id];
    round_to(*options.round, rounded[id]);
    rounded_inputs[id] = &rounded[id];
  }
  const Weights weights(graph_, std::move(state));
  Forward forward{run(weights, rounded_inputs, options), {}};
  const Outputs exact = run(*weights_, inputs, options);
  forward.error = rounding_error(forward.outputs.front(), exact.front());
  return forward;
}

Graph Model::step_graph(int64_t new_len) const {
  if (graph_.caches().empty()) {
    throw FieldError("", std::string(config_.layer().name) + " has no KV cache to step with");
  }
  const Config next = config_.with("seq_len", new_len).with("past_len", past_len_);
  if (next.layer().check) next.layer().check(next);
  return checked_graph(next, memory_limit_);
}

Outputs Model::step(const Graph& graph, Inputs inputs, bool weights) {
  for (size_t i = 0; i < cache_.size(); ++i) {
    const TensorId past = graph.caches()[i].past;
    if (past != kNoTensor) inputs[static_cast<size_t>(past)] = &cache_[i];
  }
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(graph, std::move(inputs), spread);
  const Program program(graph, weights_->state, weights_->packed,
                        {.weights = weights, .caches = true});
  Outputs outputs = program.run(whole);
  const size_t results = outputs.size() - graph.caches().size();
  std::vector<Values> present;
  for (size_t i = 0; i < graph.caches().size(); ++i) {
    present.push_back(kept(std::move(outputs[results + i]), graph.caches()[i]));
  }
  outputs.resize(results);
  cache_ = std::move(present);
  past_len_ += graph.caches().front().new_len;
  return outputs;
}

void Model::clear_cache() {
  cache_.clear();
  past_len_ = 0;
}

}  // namespace attnscope
