#include "parameters.h"

#include <algorithm>

namespace attnscope {
namespace {

void draw(const Init& init, Generator& generator, Values& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  switch (init.kind) {
    case Init::Kind::kZeros:
      values.fill(0.0f);
      return;
    case Init::Kind::kOnes:
      values.fill(1.0f);
      return;
    case Init::Kind::kUniform:
      generator.fill_uniform(static_cast<float>(-init.spread), static_cast<float>(init.spread),
                             values.data(), count);
      return;
    case Init::Kind::kNormal:
      generator.fill_normal(values.data(), count, init.spread);
      return;
  }
}

}  // namespace

std::vector<TensorId> state_order(const Graph& graph) {
  std::vector<TensorId> order;
  for (const Module& module : graph.modules()) {
    order.insert(order.end(), module.parameters.begin(), module.parameters.end());
  }
  return order;
}

ParameterValues initial_values(const Graph& graph, uint64_t seed) {
  Generator generator(seed);
  return initial_values(graph, generator);
}

ParameterValues initial_values(const Graph& graph, Generator& generator) {
  std::vector<Values> by_id(graph.tensors().size());
  for (const Draw& one : graph.draws()) {
    Values& values = by_id[static_cast<size_t>(one.parameter)];
    values = make_values(graph.tensor(one.parameter).shape);
    draw(one.init, generator, values);
    if (const std::optional<int64_t> row = one.init.zero_row) {
      const size_t length = values.size() / values.shape(0);
      std::fill_n(values.data() + static_cast<size_t>(*row) * length, length, 0.0f);
    }
  }
  ParameterValues values;
  for (const TensorId id : state_order(graph)) {
    values.push_back(std::move(by_id[static_cast<size_t>(id)]));
  }
  return values;
}

Parameters parameters_of(const Graph& graph, const ParameterValues& values) {
  Parameters parameters(graph.tensors().size(), nullptr);
  const std::vector<TensorId> order = state_order(graph);
  for (size_t i = 0; i < order.size(); ++i) parameters[static_cast<size_t>(order[i])] = &values[i];
  for (size_t id = 0; id < parameters.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role == Role::kParameter)
      parameters[id] = parameters[static_cast<size_t>(tensor.storage)];
  }
  return parameters;
}

}  // namespace attnscope
