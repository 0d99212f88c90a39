#include "stack.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

TensorId input_named(const Graph& graph, const std::string& name) {
  for (const TensorId id : graph.inputs()) {
    if (graph.tensor(id).name == name) return id;
  }
  return kNoTensor;
}

}  // namespace

StackedLayer::StackedLayer(const Graph& around, int list, size_t kind, TensorId carried,
                           std::string_view prefix, std::string_view mask_prefix)
    : around_(around),
      prefix_(prefix),
      mask_prefix_(mask_prefix),
      graph_(around.parameters().member(list)->kinds[kind]) {
  share(carried);
}

TensorId StackedLayer::share(TensorId given) {
  if (given == kNoTensor) return kNoTensor;
  const TensorId input = graph_.add_input(around_.name_of(given), around_.tensor(given).shape);
  given_.emplace_back(input, given);
  return input;
}

std::vector<TensorId> add_stack(Graph& graph, int list, std::vector<StackedLayer> kinds) {
  Loop loop{.member = list};
  const Member& member = *graph.parameters().member(list);
  const auto mask_of = [&](const StackedLayer& layer, const Tensor& mask) {
    const bool fits_all = std::all_of(kinds.begin(), kinds.end(), [&](const StackedLayer& other) {
      const TensorId own = input_named(other.graph_, mask.name);
      return own == kNoTensor || other.graph_.tensor(own).shape == mask.shape;
    });
    const std::string called = fits_all ? mask.name : layer.mask_prefix_ + mask.name;
    const TensorId known = input_named(graph, called);
    if (known != kNoTensor) return known;
    return mask.only_hides ? graph.add_padding_mask(called, mask.shape)
                           : graph.add_input(called, mask.shape, mask.role);
  };
  for (StackedLayer& layer : kinds) {
    const int64_t times = member.times(static_cast<size_t>(&layer - kinds.data()));
    std::vector<Argument> arguments;
    for (const TensorId input : layer.graph_.inputs()) {
      const Tensor& tensor = layer.graph_.tensor(input);
      const auto given = std::find_if(layer.given_.begin(), layer.given_.end(),
                                      [&](const auto& one) { return one.first == input; });
      if (given == layer.given_.begin()) {
        arguments.push_back(
            {.kind = Argument::Kind::kCarried, .given = given->second, .result = 0});
      } else if (given != layer.given_.end()) {
        arguments.push_back({.given = given->second});
      } else if (tensor.role == Role::kOptionalInput) {
        arguments.push_back({.given = mask_of(layer, tensor)});
      } else {
        Shape stacked = tensor.shape;
        stacked.insert(stacked.begin(), {times, member.axis});
        arguments.push_back(
            {.kind = Argument::Kind::kSlice,
             .given = graph.add_input(format("{}{}s", {layer.prefix_, tensor.name}), stacked)});
      }
    }
    loop.bodies.push_back(
        {.graph = nullptr, .arguments = std::move(arguments), .prefix = std::move(layer.prefix_)});
  }
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    loop.bodies[kind].graph = std::make_shared<const Graph>(std::move(kinds[kind].graph_));
  }
  const size_t results = loop.bodies.back().graph->results().size();
  loop.outputs.reserve(results);
  for (size_t r = 0; r < results; ++r) loop.outputs.push_back({.result = static_cast<int>(r)});
  return graph.add_loop(std::move(loop));
}

}  // namespace attnscope
