// An operation with several outputs, as the cell of a recurrence is, through every reading.

#include <algorithm>

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/lifetimes.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/analysis/pytorch_module.h"
#include "../../../cpp/graph/storage.h"
#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/kept.h"
#include "../../../cpp/run/lowering.h"
#include "../../../cpp/training/backward.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// One number of a cell: of its gates a and b and of what it remembers.
struct Number {
  double hidden, memory, a, b;

  Number(double gate_a, double gate_b, double before) : a(2 * gate_a), b(gate_b + 1) {
    memory = a * b + before;
    hidden = memory * memory;
  }
};

/// gates (rows, 2n), before (rows, n) -> hidden, memory (rows, n), and the activated gates in place
/// of the gates.
class Cell final : public Op {
 public:
  std::string_view name() const override { return "cell"; }
  size_t outputs() const override { return 3; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override {
    return *inputs[output == 2 ? 0 : 1];
  }
  Cost cost(const InputShapes&, const Shape& hidden) const override {
    return {{Operation::kMultiplication, 3 * elements(hidden)}};
  }
  Saved saved_for_backward(const InputShapes&, const Shape& hidden) const override {
    return {.inputs = {1}, .outputs = {1, 2}, .elements = elements(hidden)};
  }
  Alias alias(size_t output) const override {
    return output == 2 ? Alias{Aliasing::kInPlace, 0} : Alias{};
  }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override {
    std::vector<Array> made{*inputs[1], *inputs[1], *inputs[0]};
    const size_t n = inputs[1]->shape(1);
    for (size_t i = 0; i < made[0].size(); ++i) {
      const size_t a = i / n * 2 * n + i % n, b = a + n;
      const Number number(inputs[0]->data()[a], inputs[0]->data()[b], inputs[1]->data()[i]);
      made[0].data()[i] = number.hidden;
      made[1].data()[i] = number.memory;
      made[2].data()[a] = number.a;
      made[2].data()[b] = number.b;
    }
    return made;
  }
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs, std::string_view) const override {
    return format("cell({}, {})", {inputs[0], inputs[1]});
  }
};

/// What there is of the gradients by hidden and memory, memory, activated gates -> those by the
/// gates and by what was remembered before.
class CellGradient final : public Op {
 public:
  CellGradient(bool by_hidden, bool by_memory) : by_hidden_(by_hidden), by_memory_(by_memory) {}

  std::string_view name() const override { return "cell_backward"; }
  size_t outputs() const override { return 2; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override {
    return *inputs[inputs.size() - 1 - output];
  }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override {
    const Array &activated = *inputs.back(), &memory = *inputs[inputs.size() - 2];
    std::vector<Array> made{activated, memory};
    const size_t n = memory.shape(1);
    for (size_t i = 0; i < memory.size(); ++i) {
      double sum = 0.0;
      if (by_hidden_) sum += inputs[0]->data()[i] * 2 * memory.data()[i];
      if (by_memory_) sum += inputs[by_hidden_ ? 1 : 0]->data()[i];
      const size_t a = i / n * 2 * n + i % n, b = a + n;
      made[0].data()[a] = 2 * sum * activated.data()[b];
      made[0].data()[b] = sum * activated.data()[a];
      made[1].data()[i] = sum;
    }
    return made;
  }
  std::string pytorch(const std::vector<std::string>&, std::string_view) const override {
    return "cell_backward()";
  }

 private:
  bool by_hidden_, by_memory_;
};

void Cell::gradients(GradientBuilder& step) const {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < 2; ++i) {
    if (step.gradient(i) != kNoTensor) inputs.push_back(step.gradient(i));
  }
  inputs.insert(inputs.end(), {step.output(1), step.output(2)});
  const TensorId by_gates =
      step.add<CellGradient>(inputs, step.gradient(0) != kNoTensor, step.gradient(1) != kNoTensor);
  step.give(0, by_gates);
  step.give(1, by_gates + 1);
}

/// Both by their own forward_all().
Fusion as_by_reference(const Site& site) {
  Fusion fusion = site.alone(site.step().inputs);
  struct Tensor {
    TensorId id;
    std::vector<size_t> shape;
  };
  std::vector<Tensor> inputs, outputs;
  for (const TensorId id : site.step().inputs) {
    inputs.push_back({id, {site.shape(id).begin(), site.shape(id).end()}});
  }
  for (const TensorId id : site.step().outputs()) outputs.push_back({id, {}});
  const std::vector<TensorId> writes = fusion.writes;
  fusion.kernel = [op = site.step().op, inputs, outputs, writes](Workspace& workspace) {
    std::vector<Array> given;
    std::vector<const Array*> operands;
    for (const auto& [id, shape] : inputs) {
      Array& one = given.emplace_back(make_array(shape));
      std::copy_n(workspace.read(id), one.size(), one.data());
    }
    for (const Array& one : given) operands.push_back(&one);
    const std::vector<Array> made = op->forward_all(operands);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (std::ranges::count(writes, outputs[i].id) == 0) continue;
      std::ranges::copy(made[i], workspace.write(outputs[i].id));
    }
  };
  return fusion;
}
const Lowered<Cell> kCell(as_by_reference);
const Lowered<CellGradient> kCellGradient(as_by_reference);

constexpr int64_t kRows = 3, kUnits = 4, kNumbers = kRows * kUnits;

/// gates = x / 2, and two cells of them: what the first remembers the second goes on with.
struct Cells {
  Graph graph;
  TensorId x = graph.add_input("x", {kRows, 2 * kUnits});
  TensorId before = graph.add_input("before", {kRows, kUnits});
  TensorId gates = scaled("gates", x);
  TensorId hidden = cell("cell", gates, before, {"hidden", "memory", "activated"});
  TensorId memory = hidden + 1, activated = hidden + 2;

  TensorId scaled(const char* name, TensorId from) {
    return graph.add_step(name, "combine", make_op<Scale>(0.5), {from}, name);
  }
  TensorId cell(const char* name, TensorId given, TensorId remembered, OutputNames names) {
    return graph.add_step(name, "combine", make_op<Cell>(), {given, remembered}, names);
  }
};

}  // namespace

TEST_CASE("what a step makes are tensors that follow each other, one for each name") {
  Cells layer;
  const Step& step = layer.graph.steps().back();
  CHECK(step.output == layer.hidden);
  CHECK(
      std::ranges::equal(step.outputs(), std::vector{layer.hidden, layer.memory, layer.activated}));
  CHECK(layer.graph.tensor(layer.memory).name == "memory");
  CHECK(layer.graph.tensor(layer.memory).shape == Shape{kRows, kUnits});
  CHECK(layer.graph.tensor(layer.activated).shape == Shape{kRows, 2 * kUnits});
  CHECK_THROWS_WITH(layer.cell("wrong", layer.gates, layer.before, {"one", "other"}),
                    "wrong makes 3 tensors, got 2 names");
}

TEST_CASE("each output has memory of its own, or that of the input which it says") {
  const Cells layer;
  const auto owner = [&](TensorId id, Sharing sharing) {
    return storages(layer.graph, sharing)[static_cast<size_t>(id)];
  };
  for (const Sharing sharing : {Sharing::kInference, Sharing::kTraining, Sharing::kRun}) {
    CAPTURE(static_cast<int>(sharing));
    CHECK(owner(layer.hidden, sharing) == layer.hidden);
    CHECK(owner(layer.memory, sharing) == layer.memory);
    CHECK(owner(layer.activated, sharing) == layer.gates);
  }
}

TEST_CASE("memory and cost count every output, and what is in place of an input once") {
  Cells layer;
  layer.graph.add_result("hidden", layer.hidden);
  constexpr Count n = kNumbers * 4;  // bytes
  const Memory memory = attnscope::memory(layer.graph, Dtype::kFloat32);
  CHECK(memory.inputs == 3 * n);
  CHECK(memory.activations_peak == 4 * n);  // the gates, hidden, memory
  // before; memory; the activated gates; elements of the cell's own.
  CHECK(memory.step_saved == std::vector<Count>{0, n + n + 2 * n + n});
  std::vector<std::string> lives;
  for (const Lifetime& life : timeline(layer.graph, Dtype::kFloat32)) {
    lives.push_back(format("{} {} {}", {life.name, life.born, life.freed}));
  }
  CHECK(lives ==
        std::vector<std::string>{"x 0 1", "before 0 1", "gates 0 1", "hidden 1 1", "memory 1 1"});
  const LayerCost costs = cost(rows_of(layer.graph), Dtype::kFloat32);
  CHECK(costs.steps[1].bytes_moved == 3 * n + 4 * n);
  CHECK(costs.steps[1].operations.elementwise() == 3 * kNumbers);
}

TEST_CASE("printed code assigns a tuple, and the shapes stand behind it") {
  Cells layer;
  layer.graph.add_result("hidden", layer.hidden);
  layer.graph.add_result("memory", layer.memory);
  const Layer toy{"toy", "Toy", "toys", 0, "A cell.", "Toy", {}, nullptr};
  const std::string text = classes_text(toy, layer.graph);
  CHECK(text.find(R"(
        hidden, memory, activated = cell(gates, before)  # (3, 4), (3, 4), (3, 8)
        return hidden, memory
)") != std::string::npos);
}

TEST_CASE("a run makes the outputs that are read, alone and together") {
  Cells layer;
  layer.graph.add_result("hidden", layer.hidden);
  check_kernels(layer.graph);
  const Schedule alone(layer.graph);
  CHECK(alone.entries().back().fusion.writes == std::vector{layer.hidden});
  for (const char* name : {"memory", "activated"}) {
    CAPTURE(name);
    const std::vector<TensorId> tensors = find_tensors(layer.graph, "toy", {name});
    check_kernels(layer.graph, {.tensors = tensors});
    check_kernels(layer.graph, {.tensors = {tensors[0], layer.memory}});
  }
  CHECK_THROWS_WITH(find_tensors(layer.graph, "toy", {"memories"}),
                    "toy has no tensor \"memories\", did you mean memory?");
  // A second cell goes on with what the first one remembers.
  const TensorId again = layer.cell("second", layer.scaled("gates2", layer.x), layer.memory,
                                    {"hidden2", "memory2", "activated2"});
  layer.graph.add_result("hidden2", again);
  check_kernels(layer.graph);
}

TEST_CASE("a layer whose last steps read only a further output needs the step that makes it") {
  Cells layer;
  layer.graph.add_result("output", layer.scaled("output", layer.memory));
  check_kernels(layer.graph);
  CHECK(Schedule(layer.graph).entries()[1].fusion.writes == std::vector{layer.memory});
}

TEST_CASE("gradients come by those outputs on which the scalar depends") {
  for (const std::vector<std::string>& from :
       {std::vector<std::string>{"hidden"}, {"memory"}, {"hidden", "memory"}}) {
    CAPTURE(from.front());
    CAPTURE(from.size());
    Cells layer;
    layer.graph.add_result("hidden", layer.hidden);
    layer.graph.add_result("memory", layer.memory);
    const Graph graph = backward_graph(std::move(layer.graph), from, {});
    check_kernels(graph);
    const auto behind = std::ranges::find(graph.steps(), "cell.grad", &Step::name);
    REQUIRE(behind != graph.steps().end());
    CHECK(behind->inputs.size() == from.size() + 2);
    CHECK(behind->gradient_of == layer.hidden);
    CHECK(graph.tensor(behind->output).name == "cell.grad");
    CHECK(graph.tensor(behind->output + 1).name == "cell.grad.2");
    // A number of x against the difference quotient.
    const RandomInputs inputs(graph, false);
    const auto scalar = [&](double moved) {
      double sum = 0.0;
      for (int64_t i = 0; i < kNumbers; ++i) {
        const auto at = static_cast<size_t>(i), a = static_cast<size_t>(i / 4 * 8 + i % 4);
        const float* gates = inputs.values[static_cast<size_t>(layer.x)].data();
        const Number number(0.5 * (gates[a] + (i == 5 ? moved : 0.0)), 0.5 * gates[a + 4],
                            inputs.values[static_cast<size_t>(layer.before)].data()[at]);
        for (size_t id = 0; id < graph.tensors().size(); ++id) {
          const std::string& name = graph.tensors()[id].name;
          if (name == "gradients.hidden") sum += number.hidden * inputs.values[id].data()[at];
          if (name == "gradients.memory") sum += number.memory * inputs.values[id].data()[at];
        }
      }
      return sum;
    };
    const Outputs results = run_reference(graph, ParameterValues(), inputs.pointers);
    constexpr double kStep = 1e-4, kTolerance = 1e-6;
    check_close(results[from.size()].data()[9], (scalar(kStep) - scalar(-kStep)) / (2 * kStep),
                kTolerance);
  }
}

TEST_CASE("steps that run again make all their outputs again, and keep only those that are read") {
  Cells layer;
  const TensorId output = layer.scaled("output", layer.hidden);
  const Shape shape = layer.graph.tensor(output).shape;
  const TensorId gradient = layer.graph.add_input("gradient", shape);
  Graph graphs[] = {layer.graph, layer.graph};
  std::vector<Outputs> results;
  for (const bool again : {false, true}) {
    Graph& graph = graphs[again];
    const Seed seeds[] = {{output, gradient}};
    const TensorId wanted[] = {layer.x, layer.before};
    const Iteration iteration[] = {{0, graph.steps().size()}};
    const std::vector<TensorId> gradients =
        add_gradients(graph, seeds, wanted, std::span(iteration).first(again ? 1 : 0));
    for (const TensorId id : gradients) graph.add_result(graph.tensor(id).name, id);
    check_kernels(graph);
    const RandomInputs inputs(graph, false);
    results.push_back(run_reference(graph, ParameterValues(), inputs.pointers));
  }
  check_same(results[1], results[0]);
  std::vector<std::string> again;
  for (const Step& step : graphs[1].steps()) {
    if (!step.name.ends_with(".again")) continue;
    for (const TensorId id : step.outputs()) again.push_back(graphs[1].tensor(id).name);
  }
  CHECK(again ==
        std::vector<std::string>{"gates.again", "hidden.again", "memory.again", "activated.again"});
}
