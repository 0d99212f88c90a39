#include "kept.h"

#include "../layers/field.h"

namespace attnscope {
namespace {

/// For a message: of what a loop repeats the first time is enough.
std::vector<std::string_view> known_tensors(const Graph& graph) {
  std::vector<std::string_view> known;
  for (const Step& step : graph.steps()) {
    for (const TensorId id : step.outputs()) {
      const std::string_view name = graph.tensor(id).name;
      const bool repeated = name.find('.') != name.npos;
      if (!repeated || name.find(".0.") != name.npos) known.push_back(name);
    }
  }
  return known;
}

TensorId find_tensor(const Graph& graph, std::string_view layer, const std::string& name) {
  for (const Step& step : graph.steps()) {
    for (const TensorId id : step.outputs()) {
      if (graph.tensor(id).name == name) return id;
    }
  }
  throw FieldError("tensors", unknown_name(layer, "tensor", name, known_tensors(graph)).what());
}

}  // namespace

std::vector<TensorId> find_tensors(const Graph& graph, std::string_view layer,
                                   const std::vector<std::string>& names) {
  std::vector<TensorId> tensors;
  for (const std::string& name : names) tensors.push_back(find_tensor(graph, layer, name));
  return tensors;
}

}  // namespace attnscope
