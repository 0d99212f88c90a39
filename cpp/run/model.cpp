#include "model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../graph/unroll.h"
#include "kept.h"
#include "reference.h"
#include "threads.h"

namespace attnscope {
namespace {

/// `wanted`: where tensors are, with the steps that no layer has by itself.
Graph unrolled(const Config& config, const Wanted& wanted = {}) {
  return unroll(config.layer().build(config), !wanted.tensors.empty());
}

Keep keep_in(const Graph& graph, const Config& config, const Wanted& wanted) {
  return {.weights = wanted.weights,
          .tensors = find_tensors(graph, config.layer().name, wanted.tensors)};
}

/// Bytes that a run takes at once with the model. To round or to compare takes further weights, and
/// the results of one run while the other runs.
Count bytes_of(const Schedule& schedule, Dtype storage, const ForwardOptions& options) {
  Count bytes = schedule.bytes();
  const auto with = [&](Count more) { bytes = sum(bytes, more); };
  if (options.round) {
    with(schedule.parameter_bytes());
    with(schedule.packed_bytes(storage));
    with(schedule.input_bytes());
    with(schedule.result_bytes());
  } else if (options.compare) {
    with(schedule.packed_bytes(Dtype::kFloat32));
    with(schedule.result_bytes());
  }
  return bytes;
}

/// Masks whose last dimension is 1, with that repeated: kernels read whole rows. `spread` owns
/// them.
Inputs with_whole_rows(const Graph& graph, Inputs inputs, std::vector<Values>& spread) {
  spread.reserve(inputs.size());
  for (size_t id = 0; id < inputs.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (!inputs[id] || tensor.role != Role::kOptionalInput) continue;
    Shape shape = shape_of(*inputs[id]);
    if (shape.empty()) shape.emplace_back(1);
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

Count bytes_to_run(const Config& config, const Wanted& wanted, Dtype storage,
                   const ForwardOptions& options) {
  const Graph graph = unrolled(config, wanted);
  const Keep keep = keep_in(graph, config, wanted);
  return bytes_of(Schedule(graph, keep, RunFor{storage}), storage, options);
}

Model::Model(const Config& config, uint64_t seed, Count memory_limit, Dtype storage)
    : config_(config),
      memory_limit_(memory_limit),
      storage_(storage),
      graph_(unrolled(config)),
      generator_(seed) {
  const PlanPtr least = plan({.weights = false});
  most_work_ = least->schedule.most_work();
  weights_ = std::make_unique<Weights>(
      std::make_shared<ParameterValues>(initial_values(graph_, generator_)), storage);
  weights_->bind(graph_, least->schedule.packed());
}

Count Model::held_bytes() const {
  Count bytes = weights_->packed_bytes();
  for (const Values& values : weights_->values()) bytes += Count{values.size()} * sizeof(float);
  for (const CachedRows& rows : cache_) bytes += rows.bytes();
  return bytes;
}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  const std::vector<TensorId> order = state_order(graph_);
  for (size_t i = 0; i < order.size(); ++i) {
    entries.push_back({graph_.tensor(order[i]).name, &weights_->values()[i]});
  }
  return entries;
}

void Model::load_state(const ParameterValues& values) {
  weights_->assign(values);
  clear_cache();
}

/// Refused before anything is allocated: past the limit sizes would also overflow the 32 bits of
/// WebAssembly's size_t.
void Model::check_memory(const Plan& plan, const ForwardOptions& options) const {
  const Count bytes = bytes_of(plan.schedule, storage_, options);
  if (bytes <= memory_limit_) return;
  const std::string limit = to_string(memory_limit_), needed = to_string(bytes);
  const auto fits_with = [&](bool weights) {
    const Schedule less(plan.graph, {.weights = weights, .caches = plan.keep.caches}, plan.how);
    return bytes_of(less, storage_, options) <= memory_limit_;
  };
  if (!plan.tensors.empty() && fits_with(plan.keep.weights)) {
    refuse("tensors",
           "the layer must need at most {} bytes to run with the tensors that are asked for, got "
           "{}; fewer of them take less",
           {limit, needed});
  }
  if (plan.keep.weights && fits_with(false)) {
    refuse("need_weights",
           "the layer must need at most {} bytes to run with its attention weights, got {}; "
           "need_weights: false leaves them out",
           {limit, needed});
  }
  refuse("", "the layer must need at most {} bytes to run, got {}", {limit, needed});
}

PlanPtr Model::plan(const Wanted& wanted, const std::vector<GivenShape>& given) const {
  return plans_.find_or_make(
      config_, graph_, given,
      [&](const Plan& one) {
        return one.keep.weights == wanted.weights && one.tensors == wanted.tensors;
      },
      [&](const Config& config, auto fits) -> PlanPtr {
        const bool own = wanted.tensors.empty() && config.values() == config_.values();
        Graph graph = own ? graph_ : unrolled(config, wanted);
        if (!fits(graph)) return nullptr;
        Keep keep = keep_in(graph, config, wanted);
        auto made = std::make_shared<const Plan>(config, std::move(graph), std::move(keep),
                                                 RunFor{storage_}, wanted.tensors);
        check_memory(*made, {});
        return made;
      });
}

Outputs Model::run(const Plan& plan, Weights& weights, const Inputs& inputs,
                   const ForwardOptions& options, const Progress& progress) const {
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(plan.graph, inputs, spread);
  if (options.reference) {
    return run_reference(plan.graph, parameters_of(plan.graph, weights.values()), whole, plan.keep,
                         progress);
  }
  return execute(plan.schedule, weights.bind(plan.graph, plan.schedule.packed()), whole, progress);
}

Forward Model::forward(const Plan& plan, const Inputs& inputs, const ForwardOptions& options,
                       const Progress& progress) const {
  if (options.round || options.compare) check_memory(plan, options);
  // Only one run of the kernels reads each input at most once.
  if (options.round || options.compare || options.reference) inputs.load_all();
  if (options.round) return forward_rounded(plan, inputs, options, progress);
  if (options.compare) {
    Weights exact(weights_->shared_values(), Dtype::kFloat32);
    return compared(plan, *weights_, inputs, exact, inputs, options, progress);
  }
  return {run(plan, *weights_, inputs, options, progress), std::nullopt};
}

Forward Model::forward_rounded(const Plan& plan, const Inputs& inputs,
                               const ForwardOptions& options, const Progress& progress) const {
  const auto rounded_values = std::make_shared<ParameterValues>(weights_->values());
  for (Values& values : *rounded_values) {
    const bool bias = options.round == Dtype::kInt8 && values.dimension() < 2;
    if (!bias) round_to(*options.round, values);
  }
  std::vector<Values> rounded(inputs.size());
  Inputs rounded_inputs = inputs;
  for (size_t id = 0; id < inputs.size(); ++id) {
    const Tensor& tensor = plan.graph.tensors()[id];
    // Neither a mask nor token ids are numbers of the layer's format.
    if (!inputs[id] || tensor.role != Role::kInput || tensor.limit > 0) continue;
    rounded[id] = *inputs[id];
    round_to(*options.round, rounded[id]);
    rounded_inputs[id] = &rounded[id];
  }
  Weights weights(rounded_values, storage_);
  return compared(plan, weights, rounded_inputs, *weights_, inputs, options, progress);
}

Forward Model::compared(const Plan& plan, Weights& weights, const Inputs& inputs,
                        Weights& exact_weights, const Inputs& exact_inputs,
                        const ForwardOptions& options, const Progress& progress) const {
  Forward forward{run(plan, weights, inputs, options, progress.part(0, 0.5)), {}};
  const Outputs exact = run(plan, exact_weights, exact_inputs, options, progress.part(0.5, 1));
  forward.error = rounding_error(forward.outputs.front(), exact.front());
  return forward;
}

BackwardPlanPtr Model::backward_plan(const std::vector<std::string>& from,
                                     const std::vector<std::string>& tensors,
                                     const std::vector<GivenShape>& given) const {
  return backward_plans_.find_or_make(
      config_, graph_, given,
      [&](const BackwardPlan& one) { return one.from == from && one.tensors == tensors; },
      [&](const Config& config, auto fits) -> BackwardPlanPtr {
        Graph layer = unrolled(config);
        const std::vector<TensorId> ids = find_tensors(layer, config.layer().name, tensors);
        BackwardGraph graph = backward_graph(std::move(layer), from, ids);
        if (!fits(graph.graph)) return nullptr;
        auto made = std::make_shared<const BackwardPlan>(config, from, tensors, std::move(graph));
        const Count bytes = made->schedule.bytes();
        if (bytes > memory_limit_) {
          refuse("", "the layer must need at most {} bytes for its gradients, got {}",
                 {to_string(memory_limit_), to_string(bytes)});
        }
        return made;
      });
}

Outputs Model::backward(const BackwardPlan& plan, const Inputs& inputs, bool reference,
                        const Progress& progress) const {
  if (!reference) return run_schedule(plan.schedule, inputs, progress);
  std::vector<Values> spread;
  const Graph& graph = plan.whole();
  return run_reference(graph, parameters_of(graph, weights_->values()),
                       with_whole_rows(graph, inputs, spread), {}, progress);
}

Outputs Model::run_schedule(const Schedule& schedule, const Inputs& inputs,
                            const Progress& progress,
                            FunctionRef<void(const Workspace& workspace)> before_updates) const {
  std::vector<Values> spread;
  const Graph& graph = schedule.graph();
  const Inputs whole = with_whole_rows(graph, inputs, spread);
  return execute(schedule, weights_->bind(graph, schedule.packed()), whole, progress, {},
                 before_updates);
}

PlanPtr Model::next_plan(int64_t new_len, bool weights) const {
  if (graph_.caches().empty()) {
    throw FieldError("", std::string(config_.layer().name) + " has no KV cache to step with");
  }
  const Config next = config_.with("seq_len", new_len).with("past_len", past_len_);
  if (next.layer().check) next.layer().check(next);
  auto plan = std::make_shared<const Plan>(
      next, unrolled(next), Keep{.weights = weights, .caches = true}, RunFor{storage_});
  check_memory(*plan, {});
  return plan;
}

Outputs Model::step(const Plan& next, Inputs inputs, const Progress& progress) {
  const Graph& graph = next.graph;
  if (cache_.empty()) cache_ = empty_caches(graph, storage_);
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(graph, std::move(inputs), spread);
  Outputs outputs = execute(next.schedule, weights_->bind(graph, next.schedule.packed()), whole,
                            progress, cache_);
  for (size_t i = 0; i < cache_.size(); ++i) cache_[i].keep(needed_positions(graph.caches()[i]));
  past_len_ += graph.caches().front().new_len;
  return outputs;
}

void Model::clear_cache() {
  cache_.clear();
  past_len_ = 0;
}

}  // namespace attnscope
