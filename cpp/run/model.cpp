#include "model.h"

#include <algorithm>
#include <utility>

#include "../graph/unroll.h"
#include "../training/backward.h"
#include "kept.h"
#include "reference.h"
#include "threads.h"

namespace attnscope {
namespace {

/// Without loops.
Graph unrolled(const Config& config, bool masks, Unrolling how = {}) {
  return unroll(graph_to_run(config, masks), how);
}

FunctionGraph forward_of(Graph graph, const Config& config, const PlanKey& key) {
  std::vector<TensorId> tensors = find_tensors(graph, config.layer().name, key.tensors);
  return {std::move(graph), {.weights = key.weights, .tensors = std::move(tensors)}};
}

FunctionGraph forward_of(const Config& config, const PlanKey& key) {
  const bool by_name = !key.tensors.empty();
  return forward_of(unrolled(config, key.masks, {.masking = by_name, .identities = by_name}),
                    config, key);
}

FunctionGraph backward_of(const Config& config, const PlanKey& key) {
  Graph layer = unrolled(config, key.masks, {.identities = !key.tensors.empty()});
  const std::vector<TensorId> tensors = find_tensors(layer, config.layer().name, key.tensors);
  return {backward_graph(std::move(layer), key.given_gradients, tensors)};
}

/// Bytes that a run takes at once with the model. To round or to compare takes further weights, and
/// the results of one run while the other runs.
Count bytes_of(const Schedule& schedule, Dtype storage, const RunOptions& options) {
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

}  // namespace

Count bytes_to_run(const Config& config, const PlanKey& key, Dtype storage,
                   const RunOptions& options) {
  const FunctionGraph made = forward_of(config, key);
  return bytes_of(Schedule(made.graph, made.keep, RunFor{storage}), storage, options);
}

Model::Model(const Config& config, uint64_t seed, Count memory_limit, Dtype storage)
    : config_(config),
      memory_limit_(memory_limit),
      storage_(storage),
      graph_(unrolled(config, /*masks=*/false)),
      kept_{States(storage), {}, Generator(seed)} {
  const PlanPtr least = plan({.weights = false, .masks = false});
  most_work_ = least->schedule.most_work();
  weights_ = std::make_unique<Weights>(
      std::make_shared<ParameterValues>(initial_values(graph_.parameters(), kept_.generator)),
      storage);
  weights_->bind(graph_, least->schedule.packed());
}

Count Model::held_bytes() const {
  Count bytes = weights_->packed_bytes() + kept_.states.bytes();
  for (const Values& values : weights_->values()) bytes += Count{values.size()} * sizeof(float);
  return bytes;
}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  for (size_t i = 0; i < weights_->values().size(); ++i) {
    entries.push_back({graph_.parameters().at(i).first, &weights_->values()[i]});
  }
  return entries;
}

std::vector<Dtype> Model::parameter_formats() const {
  std::vector<Dtype> formats;
  for (size_t i = 0; i < weights_->values().size(); ++i) {
    formats.push_back(weights_->is_packed(i) ? storage_ : Dtype::kFloat32);
  }
  return formats;
}

std::optional<Dtype> Model::cache_format() const {
  const bool has_cache = std::ranges::any_of(graph_.states(), [](const StateUse& state) {
    return state.rule == StateUse::Rule::kAppended;
  });
  return has_cache ? std::optional(CachedRows::format(storage_)) : std::nullopt;
}

void Model::load_state(const ParameterValues& values) {
  weights_->assign(values);
  clear_cache();
}

/// Refused before anything is allocated: past the limit sizes would also overflow the 32 bits of
/// WebAssembly's size_t.
void Model::check_memory(const Plan& plan, const RunOptions& options) const {
  const Count bytes = bytes_of(plan.schedule, storage_, options);
  if (bytes <= memory_limit_) return;
  const std::string limit = to_string(memory_limit_), needed = to_string(bytes);
  if (plan.key.function == Function::kBackward) {
    refuse("", "the layer must need at most {} bytes for its gradients, got {}", {limit, needed});
  }
  const auto fits_with = [&](bool weights) {
    const Schedule less(plan.graph, {.weights = weights, .states = plan.keep.states},
                        plan.schedule.how());
    return bytes_of(less, storage_, options) <= memory_limit_;
  };
  if (!plan.key.tensors.empty() && fits_with(plan.keep.weights)) {
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

PlanPtr Model::plan(const PlanKey& asked, const std::vector<GivenShape>& given) const {
  const auto build = [&](const Config& config, const PlanKey& key) {
    if (key.function == Function::kBackward) return backward_of(config, key);
    const bool with_masks = key.masks && graph_.is_without_masks();
    const bool own = key.tensors.empty() && !with_masks && config.values() == config_.values();
    return own ? forward_of(graph_, config, key) : forward_of(config, key);
  };
  return plans_.find_or_make(asked, config_, graph_, given, storage_, build,
                             [&](Plan& plan) { check_memory(plan, {}); });
}

Outputs Model::run_with(Weights& weights, const Plan& plan, const Inputs& inputs, bool reference,
                        const Progress& progress) const {
  std::vector<Values> spread;
  const Inputs whole = with_whole_rows(plan.graph, inputs, spread);
  if (reference) {
    return run_reference(plan.graph, weights.values(), whole, plan.keep, progress);
  }
  return execute(plan.schedule, weights.bind(plan.graph, plan.schedule.packed()), whole, progress);
}

Results Model::transact(const Plan& plan, Inputs inputs, Kept& kept, const Progress& progress,
                        std::string_view unchecked) const {
  std::vector<Values> spread;
  return attnscope::transact(plan, weights_->bind(plan.graph, plan.schedule.packed()),
                             with_whole_rows(plan.graph, std::move(inputs), spread), kept, progress,
                             unchecked);
}

Results Model::run(const Plan& plan, const Inputs& inputs, const RunOptions& options,
                   const Progress& progress) const {
  if (options.round || options.compare) check_memory(plan, options);
  // Only one run of the kernels reads each input at most once.
  if (options.round || options.compare || options.reference) inputs.load_all();
  if (options.round) return run_rounded(plan, inputs, options, progress);
  if (options.compare) {
    Weights exact(weights_->shared_values(), Dtype::kFloat32);
    return compared(plan, *weights_, inputs, exact, inputs, options.reference, progress);
  }
  return {plan, run_with(*weights_, plan, inputs, options.reference, progress)};
}

Results Model::run_rounded(const Plan& plan, const Inputs& inputs, const RunOptions& options,
                           const Progress& progress) const {
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
  return compared(plan, weights, rounded_inputs, *weights_, inputs, options.reference, progress);
}

Results Model::compared(const Plan& plan, Weights& weights, const Inputs& inputs,
                        Weights& exact_weights, const Inputs& exact_inputs, bool reference,
                        const Progress& progress) const {
  Results results{plan, run_with(weights, plan, inputs, reference, progress.part(0, 0.5))};
  const Outputs exact =
      run_with(exact_weights, plan, exact_inputs, reference, progress.part(0.5, 1));
  results.error = rounding_error(results.values.front(), exact.front());
  return results;
}

PlanPtr Model::next_plan(int64_t new_len, bool weights) {
  if (graph_.states().empty()) {
    throw FieldError("", std::string(config_.layer().name) + " has no KV cache to step with");
  }
  const Config next = config_.with("seq_len", new_len).with("past_len", past_len());
  if (next.layer().check) next.layer().check(next);
  const auto build = [](const Config& config, const PlanKey& key) -> FunctionGraph {
    return {unrolled(config, key.masks), {.weights = key.weights, .states = true}};
  };
  return plans_.find_or_make({.function = Function::kStep, .weights = weights}, next, graph_, {},
                             storage_, build, [&](Plan& plan) {
                               check_memory(plan, {});
                               plan.bind(kept_.states);
                             });
}

Results Model::step(const Plan& next, Inputs inputs, const Progress& progress) {
  Results results = transact(next, std::move(inputs), kept_, progress);
  plans_.forget(Function::kStep);
  return results;
}

int64_t Model::past_len() const { return kept_.counters.of("past_len"); }

void Model::clear_cache() {
  kept_.states.clear();
  kept_.counters.clear();
  plans_.forget(Function::kStep);
}

}  // namespace attnscope
