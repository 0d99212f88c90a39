#include "parameters.h"

#include "random.h"

namespace attnscope {
namespace {

void draw(const Init& init, Generator& generator, Values& values) {
  switch (init.kind) {
    case Init::Kind::kZeros:
      values.fill(0.0f);
      return;
    case Init::Kind::kUniform:
      generator.fill_uniform(static_cast<float>(-init.bound), static_cast<float>(init.bound),
                             values.data(), static_cast<int64_t>(values.size()));
      return;
  }
}

}  // namespace

Parameters initial_parameters(const Graph& graph, uint64_t seed) {
  Generator generator(seed);
  Parameters parameters(graph.tensors().size());
  for (const Module& module : graph.modules()) {
    for (const TensorId id : module.parameters) {
      Values& values = parameters[static_cast<size_t>(id)];
      values = make_values(graph.tensor(id).shape);
      draw(graph.tensor(id).init, generator, values);
    }
  }
  return parameters;
}

}  // namespace attnscope
