#pragma once

// What the tests of run/ share: random inputs of any graph, and results held against each other.

#include <limits>

#include "../../../cpp/run/model.h"
#include "../../../cpp/run/reference.h"
#include "../support.h"

namespace attnscope::testing {

/// float32 sums of up to a few hundred terms, relative.
inline constexpr double kKernelTolerance = 1e-5;

/// On how many threads a run has to give the same bits; WebAssembly's tests have one.
#if defined(__EMSCRIPTEN__)
inline constexpr int kThreadCounts[] = {1};
#else
inline constexpr int kThreadCounts[] = {1, 2, 3};
#endif

/// Random values for every input of the graph: token ids where it takes integers; a mask, if
/// wanted, hides every third element.
struct RandomInputs {
  std::vector<Values> values;
  Inputs pointers;

  RandomInputs(const Graph& graph, bool with_mask)
      : values(graph.tensors().size()), pointers(values.size()) {
    for (size_t id = 0; id < values.size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      const bool mask = tensor.role == Role::kOptionalInput;
      if (tensor.role != Role::kInput && !(mask && with_mask)) continue;
      if (tensor.storage != static_cast<TensorId>(id)) continue;  // a part of another input
      values[id] = random_values(tensor.shape, static_cast<uint32_t>(id) + 1);
      for (float& one : values[id]) {
        if (tensor.limit > 0) one = std::floor((one + 1) / 2 * static_cast<float>(tensor.limit));
      }
      for (size_t i = 0; mask && i < values[id].size(); i += 3) {
        values[id].data()[i] = -std::numeric_limits<float>::infinity();
      }
      pointers[id] = &values[id];
    }
  }
};

/// With inputs of the config's own lengths.
inline Results forward(const Model& model, const Inputs& inputs, const RunOptions& options = {},
                       bool weights = true) {
  return model.run(*model.plan({.weights = weights}), inputs, options);
}

/// By the kernels, of a graph without parameters.
inline Outputs run_kernels(const Graph& graph, const Inputs& inputs, const Keep& keep = {},
                           const Progress& progress = {}) {
  Weights weights(std::make_shared<ParameterValues>(), Dtype::kFloat32);
  return execute(Schedule(graph, keep), weights.bind(graph, {}), inputs, progress);
}

inline void check_same(const Values& actual, const Values& expected) {
  REQUIRE(shape_of(actual) == shape_of(expected));
  for (size_t i = 0; i < actual.size(); ++i) {
    check_close(actual.data()[i], expected.data()[i], kKernelTolerance);
  }
}

inline void check_same(const Outputs& actual, const Outputs& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t r = 0; r < actual.size(); ++r) check_same(actual[r], expected[r]);
}

/// All results of a graph without parameters, by the kernels and by the reference.
inline void check_kernels(const Graph& graph, const Keep& keep = {}) {
  const RandomInputs inputs(graph, false);
  check_same(run_kernels(graph, inputs.pointers, keep),
             run_reference(graph, ParameterValues(), inputs.pointers, keep));
}

}  // namespace attnscope::testing
