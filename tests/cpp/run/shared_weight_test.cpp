// The gradients of a weight that several steps read, as the positions of a recurrent layer do: one
// product for the rows of many steps, and one packed copy for all gradients by their inputs.

#include <algorithm>

#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/schedule.h"
#include "../../../cpp/run/threads.h"
#include "../../../cpp/training/backward.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// The backward pass of h1 = x Wᵀ, h2 = h1 Wᵀ and so on, by the last of them.
struct Repeated {
  int64_t rows, steps, features;
  std::shared_ptr<Parameters> parameters = std::make_shared<Parameters>();
  LinearModule linear = declare_linear(*parameters, "linear", features, features, false);
  Graph graph{parameters};
  TensorId weight = graph.use(linear.weight);

  Repeated(int64_t rows_, int64_t steps_, int64_t features_)
      : rows(rows_), steps(steps_), features(features_) {
    Graph layer = graph;
    TensorId h = layer.add_input("x", {rows, features});
    for (int64_t step = 1; step <= steps; ++step) {
      h = apply_linear(layer, linear, "combine", h, format("h{}", {step}));
    }
    layer.add_result("h", h);
    graph = backward_graph(std::move(layer), {"h"}, {});
  }

  /// By the kernels, on each number of threads, and by the reference.
  void check(const Keep& keep = {}) const {
    Weights weights(std::make_shared<ParameterValues>(initial_values(*parameters, 0)),
                    Dtype::kFloat32);
    const RandomInputs inputs(graph, false);
    const Outputs expected = run_reference(graph, weights.values(), inputs.pointers, keep);
    Outputs first;
    for (const int threads : kThreadCounts) {
      CAPTURE(threads);
      set_thread_count(threads);
      const Schedule schedule(graph, keep);
      const Outputs actual =
          execute(schedule, weights.bind(graph, schedule.packed()), inputs.pointers, {});
      if (first.empty()) {
        check_same(actual, expected);
        first = actual;
      }
      CHECK(actual == first);
    }
    set_thread_count(1);
  }
};

int64_t times(const std::vector<Packing>& packed, Packing packing) {
  return std::ranges::count(packed, packing);
}

/// Entries that make the weight's gradient: a sum of several products, or one of them.
struct Products {
  int64_t joined = 0, single = 0, sums = 0;

  explicit Products(const Schedule& schedule, const Repeated& of) {
    for (const Schedule::Entry& entry : schedule.entries()) {
      const std::vector<TensorId>& writes = entry.fusion.writes;
      const Shape& shape = of.graph.tensor(writes[0]).shape;
      if (shape != of.graph.tensor(of.weight).shape) continue;
      const bool joins = entry.fusion.earlier > 0;
      const bool adds = of.graph.name_of(writes[0]).find(".sum.") != std::string::npos;
      joined += joins;
      sums += adds && !joins;
      single += !adds;
      if (joins) CHECK(entry.work >= entry.fusion.earlier);
    }
  }

  bool operator==(const Products&) const = default;
  Products(int64_t joined_, int64_t single_, int64_t sums_)
      : joined(joined_), single(single_), sums(sums_) {}
};

}  // namespace

TEST_CASE("the gradient of a weight that steps share is a product for every 512 of their rows") {
  struct Case {
    int64_t rows, steps;
    Products expected;
  };
  const Case cases[] = {
      {1, 1, {0, 1, 0}},   {1, 2, {1, 0, 0}},   {1, 40, {1, 0, 0}},
      {3, 7, {1, 0, 0}},   {256, 2, {1, 0, 0}}, {256, 3, {1, 1, 1}},
      {300, 5, {2, 1, 1}}, {511, 4, {2, 0, 0}}, {512, 3, {0, 3, 2}},
  };
  for (const auto& [rows, steps, expected] : cases) {
    CAPTURE(rows);
    CAPTURE(steps);
    const Repeated repeated(rows, steps, 20);
    const Products products(Schedule(repeated.graph), repeated);
    CHECK(products.joined == expected.joined);
    CHECK(products.single == expected.single);
    CHECK(products.sums == expected.sums);
    repeated.check();
  }
}

TEST_CASE("a joined product takes the work of those that it stands for") {
  const Repeated repeated(4, 6, 20);
  double earlier = 0;
  const Schedule schedule(repeated.graph);
  for (const Schedule::Entry& entry : schedule.entries()) earlier += entry.fusion.earlier;
  CHECK(earlier == 4 * 6 * 20 * 20);
}

TEST_CASE("a sum within a gradient that is asked for is made, and the sums after it add to it") {
  const Repeated repeated(2, 6, 20);
  for (const Step& step : repeated.graph.steps()) {
    if (step.name.find(".sum.") == std::string::npos) continue;
    CAPTURE(step.name);
    repeated.check({.tensors = {step.output}});
    repeated.check({.tensors = {step.inputs[1]}});
  }
}

TEST_CASE("a gradient of one row or column stays a sum of weighted rows") {
  const Repeated repeated(3, 4, 1);
  CHECK(Products(Schedule(repeated.graph), repeated).joined == 0);
  repeated.check();
}

TEST_CASE("gradients by the inputs of steps that share a weight read it packed once") {
  for (const int64_t steps : {1, 2, 5}) {
    CAPTURE(steps);
    const Repeated repeated(3, steps, 20);
    const Packing turned(repeated.weight, true);
    CHECK(times(Schedule(repeated.graph).packed(), turned) == (steps > 1 ? steps : 0));
    CHECK(times(Schedule(repeated.graph).packed(), repeated.weight) == steps);
    const Schedule narrow(repeated.graph, {}, {.storage = Dtype::kFloat16});
    CHECK(times(narrow.packed(), turned) == 0);
    repeated.check();
  }
}
