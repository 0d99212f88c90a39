#include "model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../graph/unroll.h"

namespace attnscope {
namespace {

Graph unrolled(const Config& config) { return unroll(config.layer().build(config)); }

/// Refused before anything is allocated: past the limit sizes would also overflow the 32 bits of
/// WebAssembly's size_t.
void check_memory(const Schedule& schedule, Dtype storage, Count memory_limit) {
  const Count bytes = schedule.bytes(storage);
  if (bytes <= memory_limit) return;
  throw FieldError("", "the layer must need at most " + to_string(memory_limit) +
                           " bytes to run, got " + to_string(bytes));
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

/// Caches for a graph's, without positions.
std::vector<CachedRows> empty_caches(const Graph& graph, Dtype storage) {
  std::vector<CachedRows> caches;
  for (const Cache& cache : graph.caches()) {
    const Shape& shape = graph.tensor(cache.present).shape;  // (B, ..., S, D)
    const int64_t features = shape.back(), positions = shape[shape.size() - 2];
    const int64_t groups = static_cast<int64_t>(elements(shape)) / (positions * features);
    caches.emplace_back(groups, features, storage);
  }
  return caches;
}

/// Positions of a cache that later steps may see.
int64_t needed_positions(const Cache& cache) {
  return cache.window ? *cache.window - 1 : std::numeric_limits<int64_t>::max();
}

}  // namespace

Count bytes_to_run(const Config& config, Keep keep, Dtype storage) {
  const Graph graph = unrolled(config);
  return Schedule(graph, keep).bytes(storage);
}

Model::Model(const Config& config, uint64_t seed, Count memory_limit, Dtype storage)
    : config_(config),
      memory_limit_(memory_limit),
      storage_(storage),
      graph_(unrolled(config)),
      all_(graph_),
      least_(graph_, {.weights = false}) {
  check_memory(least_, storage, memory_limit);
  all_bytes_ = all_.bytes(storage);
  weights_ = std::make_unique<Weights>(all_, least_, initial_state(graph_, seed), storage);
}

Count Model::held_bytes() const {
  Count bytes = weights_->packed.bytes();
  for (const Values& values : weights_->state) bytes += Count{values.size()} * sizeof(float);
  for (const CachedRows& rows : cache_) bytes += rows.bytes();
  return bytes;
}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  const std::vector<TensorId> order = state_order(graph_);
  for (size_t i = 0; i < order.size(); ++i) {
    entries.push_back({graph_.tensor(order[i]).name, &weights_->state[i]});
  }
  return entries;
}

void Model::load_state(State values) {
  weights_ = std::make_unique<Weights>(all_, least_, std::move(values), storage_);
  clear_cache();
}

Outputs Model::run(const Weights& weights, const Inputs& inputs, const ForwardOptions& options,
                   const Progress& progress) const {
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(graph_, inputs, spread);
  if (options.reference) {
    return run_reference(graph_, parameters_of(graph_, weights.state), whole,
                         {.weights = options.weights}, progress);
  }
  return (options.weights ? weights.program : weights.least).run(whole, progress);
}

Forward Model::forward(const Inputs& inputs, const ForwardOptions& options,
                       const Progress& progress) const {
  if (options.weights && all_bytes_ > memory_limit_) {
    throw FieldError("need_weights", "the layer must need at most " + to_string(memory_limit_) +
                                         " bytes to run with its attention weights, got " +
                                         to_string(all_bytes_) +
                                         "; need_weights: false leaves them out");
  }
  // Only one run of the kernels reads each input at most once.
  if (options.round || options.compare || options.reference) inputs.load_all();
  if (options.round) return forward_rounded(inputs, options, progress);
  if (options.compare) {
    const Weights exact(all_, least_, weights_->state, Dtype::kFloat32);
    return compared(*weights_, inputs, exact, inputs, options, progress);
  }
  return {run(*weights_, inputs, options, progress), std::nullopt};
}

Forward Model::forward_rounded(const Inputs& inputs, const ForwardOptions& options,
                               const Progress& progress) const {
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
  const Weights weights(all_, least_, std::move(state), storage_);
  return compared(weights, rounded_inputs, *weights_, inputs, options, progress);
}

Forward Model::compared(const Weights& weights, const Inputs& inputs, const Weights& exact_weights,
                        const Inputs& exact_inputs, const ForwardOptions& options,
                        const Progress& progress) const {
  Forward forward{run(weights, inputs, options, progress.part(0, 0.5)), {}};
  const Outputs exact = run(exact_weights, exact_inputs, options, progress.part(0.5, 1));
  forward.error = rounding_error(forward.outputs.front(), exact.front());
  return forward;
}

std::unique_ptr<const Model::NextStep> Model::next_step(int64_t new_len, bool weights) const {
  if (graph_.caches().empty()) {
    throw FieldError("", std::string(config_.layer().name) + " has no KV cache to step with");
  }
  const Config next = config_.with("seq_len", new_len).with("past_len", past_len_);
  if (next.layer().check) next.layer().check(next);
  auto step = std::make_unique<const NextStep>(unrolled(next), weights);
  check_memory(step->schedule, storage_, memory_limit_);
  return step;
}

Outputs Model::step(const NextStep& next, Inputs inputs, const Progress& progress) {
  const Graph& graph = next.graph;
  if (cache_.empty()) cache_ = empty_caches(graph, storage_);
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(graph, std::move(inputs), spread);
  const Program program(next.schedule, weights_->state, weights_->packed);
  Outputs outputs = program.run(whole, progress, cache_);
  for (size_t i = 0; i < cache_.size(); ++i) cache_[i].keep(needed_positions(graph.caches()[i]));
  past_len_ += graph.caches().front().new_len;
  return outputs;
}

void Model::clear_cache() {
  cache_.clear();
  past_len_ = 0;
}

}  // namespace attnscope
