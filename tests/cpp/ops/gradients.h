#pragma once

// Gradients of small graphs against difference quotients, all by the reference in double.

#include <algorithm>

#include "../../../cpp/run/reference.h"
#include "../../../cpp/training/backward.h"
#include "arrays.h"

namespace attnscope::testing {

using Names = std::vector<std::string>;

/// Random numbers for every input and parameter of a graph; a mask hides every third of its own.
inline ReferenceValues random_reference(const Graph& graph) {
  ReferenceValues values(graph.tensors().size());
  for (size_t id = 0; id < values.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role == Role::kActivation) continue;
    const Values numbers = random_values(tensor.shape, static_cast<uint32_t>(id) + 1);
    Array& array = values[id].emplace(make_array({tensor.shape.begin(), tensor.shape.end()}));
    std::copy(numbers.begin(), numbers.end(), array.begin());
    const bool mask = tensor.role == Role::kOptionalInput;
    for (size_t i = 0; mask && i < array.size(); ++i) array.data()[i] = i % 3 == 0 ? kHidden : 0.0;
  }
  return values;
}

/// Every gradient of the sum of the results `from`, each number times one that is given for it,
/// against the difference quotient.
inline void check_gradients(const Graph& layer, const Names& from) {
  constexpr double kStep = 1e-5, kTolerance = 1e-8;  // kStep² and roundings of double over kStep
  const Graph graph = backward_graph(layer, from, {});
  ReferenceValues values = random_reference(graph);
  const auto scalar = [&] {
    ReferenceValues moved(values.begin(),
                          values.begin() + static_cast<std::ptrdiff_t>(layer.tensors().size()));
    run_reference(layer, moved);
    double sum = 0.0;
    for (size_t r = 0; r < from.size(); ++r) {
      const Array& result = *moved[static_cast<size_t>(graph.results()[r].tensor)];
      const auto seed = std::ranges::find(graph.tensors(), gradient_name(from[r]), &Tensor::name);
      const Array& factors = *values[static_cast<size_t>(seed - graph.tensors().begin())];
      for (size_t i = 0; i < result.size(); ++i) sum += result.data()[i] * factors.data()[i];
    }
    return sum;
  };
  ReferenceValues all = values;
  run_reference(graph, all);
  REQUIRE(graph.results().size() > from.size());
  for (size_t r = from.size(); r < graph.results().size(); ++r) {
    const Result& result = graph.results()[r];
    const Array& gradient = *all[static_cast<size_t>(result.tensor)];
    Array& by = *values[static_cast<size_t>(result.options.gradient_by)];
    CAPTURE(result.name);
    REQUIRE(gradient.size() == by.size());
    for (size_t i = 0; i < by.size(); ++i) {
      CAPTURE(i);
      const double before = by.data()[i];
      by.data()[i] = before + kStep;
      const double above = scalar();
      by.data()[i] = before - kStep;
      const double below = scalar();
      by.data()[i] = before;
      check_close(gradient.data()[i], (above - below) / (2 * kStep), kTolerance);
    }
  }
}

}  // namespace attnscope::testing
