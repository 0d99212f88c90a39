// Which kernels do which steps: what stands between queries, keys and their mask, or in a scorer,
// stays in one kernel with them; and a step that no kernel does is reported.

#include "../../../cpp/run/lowering.h"

#include <algorithm>
#include <stdexcept>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/matmul.h"
#include "../../../cpp/ops/softcap.h"
#include "../../../cpp/ops/softmax.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/ops/weighted_sum.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/threads.h"
#include "../../../cpp/training/backward.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr int64_t kBatch = 2, kHeads = 3, kQueries = 70, kKeys = 300, kFeatures = 16;

/// Attention whose scores are what `add_scores` makes of the products of queries and keys.
template <class AddScores>
Graph attention_graph(AddScores add_scores) {
  Graph graph;
  const TensorId query = graph.add_input("query", {kBatch, kHeads, kQueries, kFeatures});
  const TensorId key = graph.add_input("key", {kBatch, kHeads, kKeys, kFeatures});
  const TensorId products = graph.add_step(
      "dot", "score", shared_op<Matmul, Matmul::Right::kTransposed>(), {query, key}, "products");
  const TensorId scores = add_scores(graph, products);
  const TensorId mask =
      graph.add_input("mask", {kBatch, kHeads, kQueries, kKeys}, Role::kOptionalInput);
  const TensorId weights =
      graph.add_step("normalize", "normalize", shared_op<Softmax>(), {scores, mask}, "weights");
  graph.add_result("output",
                   graph.add_step("combine", "combine", shared_op<Matmul, Matmul::Right::kPlain>(),
                                  {weights, key}, "output"));
  graph.add_result("weights", weights);
  return graph;
}

TensorId add(Graph& graph, const char* name, const OpPtr& op, Ids inputs) {
  return graph.add_step(name, "score", op, inputs, format("made_by_{}", {name}));
}

/// That all steps are one kernel, with weights and without, and that it gives what the reference
/// loops give.
void check_fused(const Graph& graph) {
  Weights weights(std::make_shared<ParameterValues>(initial_values(graph.parameters(), 0)),
                  Dtype::kFloat32);
  for (const bool wanted : {true, false}) {
    CAPTURE(wanted);
    for (const bool masked : {true, false}) {
      const RandomInputs inputs(graph, masked);
      const Outputs expected =
          run_reference(graph, weights.values(), inputs.pointers, {.weights = wanted});
      const Schedule schedule(graph, {.weights = wanted});
      CHECK(schedule.entries().size() == 1);
      CHECK(schedule.entries()[0].fusion.steps == graph.steps().size());
      check_same(execute(schedule, weights.bind(graph, schedule.packed()), inputs.pointers, {}),
                 expected);
    }
  }
}

/// A scorer of (B, T, E) and its pooling; `add_scores` declares what it needs.
template <class AddScores>
Graph scorer_graph(AddScores add_scores) {
  auto parameters = std::make_shared<Parameters>();
  Graph graph(parameters);
  const TensorId hidden = graph.add_input("hidden_states", {kBatch, kQueries, kFeatures});
  const TensorId scores = add_scores(graph, *parameters, hidden);
  const TensorId row =
      graph.add_step("squeeze", "normalize", shared_op<Squeeze>(), {scores}, "row");
  const TensorId mask = graph.add_input("mask", {kBatch, kQueries}, Role::kOptionalInput);
  const TensorId weights =
      graph.add_step("normalize", "normalize", shared_op<Softmax>(), {row, mask}, "weights");
  graph.add_result("output", graph.add_step("combine", "combine", shared_op<WeightedSum>(),
                                            {weights, hidden}, "output"));
  graph.add_result("weights", weights);
  return graph;
}

/// An operation that no kernel computes.
class Unknown final : public SingleOp {
 public:
  std::string_view name() const override { return "unknown"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Array forward(const std::vector<const Array*>& inputs) const override { return *inputs[0]; }
  std::string pytorch(const std::vector<std::string>& inputs, std::string_view) const override {
    return inputs[0];
  }
};

const OpPtr& half() {
  static const OpPtr scale = std::make_shared<const Scale>(0.5);
  return scale;
}

const OpPtr& cap() {
  static const OpPtr softcap = std::make_shared<const Softcap>(1.5);
  return softcap;
}

const OpPtr& tanh() { return shared_op<Activation, Activation::Kind::kTanh>(); }
const OpPtr& sigmoid() { return shared_op<Activation, Activation::Kind::kSigmoid>(); }

}  // namespace

TEST_CASE("element-wise steps between the product of queries and keys and the mask stay fused") {
  const Shape bias_shape{kHeads, kQueries, kKeys};
  for (const int threads : {1, 2}) {
#if defined(__EMSCRIPTEN__)
    if (threads > 1) continue;
#endif
    set_thread_count(threads);
    check_fused(attention_graph([](Graph&, TensorId x) { return x; }));
    check_fused(attention_graph([](Graph& graph, TensorId x) {
      return add(graph, "cap", cap(), {add(graph, "scale", half(), {x})});
    }));
    check_fused(attention_graph([](Graph& graph, TensorId x) {
      return add(graph, "scale", half(), {add(graph, "cap", cap(), {x})});
    }));
    check_fused(attention_graph([&](Graph& graph, TensorId x) {
      const TensorId bias = graph.add_input("bias", bias_shape);
      const TensorId capped = add(graph, "cap", cap(), {add(graph, "scale", half(), {x})});
      return add(graph, "tanh", tanh(), {add(graph, "bias_sum", shared_op<Add>(), {capped, bias})});
    }));
  }
  set_thread_count(1);
}

TEST_CASE("element-wise steps and a gate in a scorer stay fused") {
  const auto linear = [](Graph& graph, Parameters& set, const char* name, TensorId x, int64_t n) {
    const int64_t k = graph.tensor(x).shape.back();
    const LinearModule module = declare_linear(set, name, k, n, true);
    return apply_linear(graph, module, "score", x, format("features_{}", {name}));
  };
  check_fused(scorer_graph([&](Graph& graph, Parameters& set, TensorId x) {
    return add(graph, "cap", cap(), {linear(graph, set, "score", x, 1)});
  }));
  check_fused(scorer_graph([&](Graph& graph, Parameters& set, TensorId x) {
    const TensorId capped = add(graph, "cap", cap(), {linear(graph, set, "project", x, 24)});
    return linear(graph, set, "score", add(graph, "tanh", tanh(), {capped}), 1);
  }));
  check_fused(scorer_graph([&](Graph& graph, Parameters& set, TensorId x) {
    const TensorId features = add(graph, "tanh", tanh(), {linear(graph, set, "project", x, 24)});
    const TensorId gate = add(graph, "sigmoid", sigmoid(), {linear(graph, set, "gate", x, 24)});
    const TensorId gated = add(graph, "gated", shared_op<Multiply>(), {features, gate});
    return add(graph, "cap", cap(), {linear(graph, set, "score", gated, 1)});
  }));
}

TEST_CASE(
    "soft-capped attention and gated pooling are one kernel each, as their layers have them") {
  for (const Config& one : {config("scaled_dot_product_attention", {{"softcap", raw(30)}}),
                            config("gated_attention_pooling")}) {
    CAPTURE(one.layer().name);
    const Graph graph = graph_of(one);
    CHECK(Schedule(graph, {.weights = false}).entries().size() == 1);
  }
}

TEST_CASE("the gradient of attention is one kernel where other steps stand between its own") {
  Graph layer;
  const TensorId query = layer.add_input("query", {kBatch, kHeads, kQueries, kFeatures});
  const TensorId key = layer.add_input("key", {kBatch, kHeads, kKeys, kFeatures});
  const TensorId value = layer.add_input("value", {kBatch, kHeads, kKeys, kFeatures});
  const TensorId products =
      add(layer, "dot", shared_op<Matmul, Matmul::Right::kTransposed>(), {query, key});
  const TensorId weights =
      add(layer, "normalize", shared_op<Softmax>(), {add(layer, "scale", half(), {products})});
  layer.add_result("output", add(layer, "combine", shared_op<Matmul, Matmul::Right::kPlain>(),
                                 {weights, value}));
  layer.add_result("others", add(layer, "tanh", tanh(), {value}));
  const Graph graph = backward_graph(std::move(layer), {"output", "others"}, {});

  // The values are read twice: their gradients are added as soon as both are there.
  const auto place = [&](const char* start) {
    const auto found = std::find_if(graph.steps().begin(), graph.steps().end(),
                                    [&](const Step& step) { return step.name.starts_with(start); });
    REQUIRE(found != graph.steps().end());
    return found - graph.steps().begin();
  };
  REQUIRE(place("combine.grad") < place("value.grad.sum"));
  REQUIRE(place("value.grad.sum") < place("normalize.grad"));

  for (const int threads : {1, 2}) {
#if defined(__EMSCRIPTEN__)
    if (threads > 1) continue;
#endif
    CAPTURE(threads);
    set_thread_count(threads);
    const Schedule schedule(graph);
    for (const Schedule::Entry& entry : schedule.entries()) {
      for (const TensorId id : entry.fusion.writes) {
        CAPTURE(graph.tensor(id).name);
        const bool of_pairs = graph.tensor(id).shape == graph.tensor(weights).shape;
        CHECK((!of_pairs || entry.fusion.shortened.id == id));
      }
    }
    const RandomInputs inputs(graph, false);
    Weights none(std::make_shared<ParameterValues>(), Dtype::kFloat32);
    check_same(execute(schedule, none.bind(graph, {}), inputs.pointers, {}),
               run_reference(graph, ParameterValues(), inputs.pointers));
  }
  set_thread_count(1);
}

TEST_CASE("a step that no kernel computes is reported, never run by reference loops") {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 3});
  graph.add_result("output", add(graph, "mystery", shared_op<Unknown>(), {x}));
  CHECK_THROWS_WITH_AS(Schedule{graph}, "no kernel computes unknown as the step mystery has it",
                       std::logic_error);
}
