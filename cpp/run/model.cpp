#include "model.h"

#include <utility>

namespace attnscope {
namespace {

constexpr Count kFloatBytes = 4;

Graph checked_graph(const Config& config, Count memory_limit) {
  Graph graph = config.layer().build(config);
  const Count bytes = bytes_to_run(graph);
  if (bytes > memory_limit) {
    throw FieldError("", "the layer must need at most " + to_string(memory_limit) +
                             " bytes to run, got " + to_string(bytes));
  }
  return graph;
}

}  // namespace

Count bytes_to_run(const Graph& graph) {
  const std::vector<TensorId> storage = run_storage(graph);
  Count count = 0;
  for (size_t id = 0; id < storage.size(); ++id) {
    if (storage[id] != static_cast<TensorId>(id)) continue;
    const Tensor& tensor = graph.tensors()[id];
    const int copies = tensor.role == Role::kParameter ? 2 : 1;  // a parameter is packed as well
    count = sum(count, product({copies, elements(tensor.shape)}));
  }
  for (const Result& result : graph.results()) {
    count = sum(count, elements(graph.tensor(result.tensor).shape));  // the copy that leaves
  }
  return product({count, kFloatBytes});
}

Model::Model(const Config& config, uint64_t seed, Count memory_limit)
    : graph_(checked_graph(config, memory_limit)),
      weights_(std::make_unique<Weights>(graph_, initial_parameters(graph_, seed))) {}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  for (const Module& module : graph_.modules()) {
    for (const TensorId id : module.parameters) {
      entries.push_back({graph_.tensor(id).name, &weights_->parameters[static_cast<size_t>(id)]});
    }
  }
  return entries;
}

void Model::load_state(std::vector<Values> values) {
  Parameters parameters(graph_.tensors().size());
  size_t next = 0;
  for (const Module& module : graph_.modules()) {
    for (const TensorId id : module.parameters) {
      parameters[static_cast<size_t>(id)] = std::move(values[next++]);
    }
  }
  weights_ = std::make_unique<Weights>(graph_, std::move(parameters));
}

Outputs Model::run(const Weights& weights, const Inputs& inputs, bool reference) const {
  return reference ? run_reference(graph_, weights.parameters, inputs)
                   : weights.program.run(inputs);
}

Forward Model::forward(const Inputs& inputs, const ForwardOptions& options) const {
  if (options.round) return forward_rounded(inputs, options);
  return {run(*weights_, inputs, options.reference), std::nullopt};
}

Forward Model::forward_rounded(const Inputs& inputs, const ForwardOptions& options) const {
  Parameters parameters = weights_->parameters;
  for (Values& values : parameters) {
    const bool kept = options.round == Dtype::kInt8 && values.dimension() < 2;
    if (values.size() > 0 && !kept) round_to(*options.round, values);
  }
  std::vector<Values> rounded(inputs.size());
  Inputs rounded_inputs = inputs;
  for (size_t id = 0; id < inputs.size(); ++id) {
    if (!inputs[id] || graph_.tensors()[id].role != Role::kInput) continue;  // a mask is no data
    rounded[id] = *inputs[id];
    round_to(*options.round, rounded[id]);
    rounded_inputs[id] = &rounded[id];
  }
  const Weights weights(graph_, std::move(parameters));
  Forward forward{run(weights, rounded_inputs, options.reference), {}};
  const Outputs exact = run(*weights_, inputs, options.reference);
  forward.error = rounding_error(forward.outputs.front(), exact.front());
  return forward;
}

}  // namespace attnscope
