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

Outputs run(const Graph& graph, const Parameters& parameters, const Program& program,
            const Inputs& inputs, bool reference) {
  return reference ? run_reference(graph, parameters, inputs) : program.run(inputs);
}

}  // namespace

Count bytes_to_run(const Graph& graph) {
  // Every activation is counted as if it lived to the end: a run may need less, never more.
  constexpr Count kPacked = 2;     // a parameter and its packed copy
  constexpr Count kHandedOut = 2;  // a result and the copy that leaves
  Count count = 0;
  for (const Tensor& tensor : graph.tensors()) {
    const bool view = tensor.storage != static_cast<TensorId>(&tensor - graph.tensors().data());
    if (view) continue;
    count += elements(tensor.shape) * (tensor.role == Role::kParameter ? kPacked : 1);
  }
  for (const Result& result : graph.results()) {
    count += elements(graph.tensor(result.tensor).shape) * (kHandedOut - 1);
  }
  return count * kFloatBytes;
}

Model::Model(Config config, uint64_t seed, Count memory_limit)
    : config_(std::move(config)),
      graph_(checked_graph(config_, memory_limit)),
      parameters_(initial_parameters(graph_, seed)),
      program_(std::make_unique<Program>(graph_, parameters_)) {}

std::vector<StateEntry> Model::state() const {
  std::vector<StateEntry> entries;
  for (const Module& module : graph_.modules()) {
    for (const TensorId id : module.parameters) {
      entries.push_back({graph_.tensor(id).name, &parameters_[static_cast<size_t>(id)]});
    }
  }
  return entries;
}

void Model::load_state(std::vector<Values> values) {
  size_t next = 0;
  for (const Module& module : graph_.modules()) {
    for (const TensorId id : module.parameters) {
      parameters_[static_cast<size_t>(id)] = std::move(values[next++]);
    }
  }
  program_ = std::make_unique<Program>(graph_, parameters_);
}

Forward Model::forward(const Inputs& inputs, const ForwardOptions& options) const {
  if (options.round) return forward_rounded(inputs, options);
  return {run(graph_, parameters_, *program_, inputs, options.reference), std::nullopt};
}

Forward Model::forward_rounded(const Inputs& inputs, const ForwardOptions& options) const {
  Parameters parameters = parameters_;
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
  const Program program(graph_, parameters);
  Forward forward{run(graph_, parameters, program, rounded_inputs, options.reference), {}};
  const Outputs exact = run(graph_, parameters_, *program_, inputs, options.reference);
  forward.error = rounding_error(forward.outputs.front(), exact.front());
  return forward;
}

}  // namespace attnscope
