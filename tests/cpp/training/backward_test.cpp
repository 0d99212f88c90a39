#include "../../../cpp/training/backward.h"

#include <optional>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/run/reference.h"
#include "../../../cpp/training/training.h"
#include "../configs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// Larger ones take too long where every number is a double.
constexpr Count kMostParameters = 3'000'000;

Array random_array(const Shape& shape, uint32_t seed, double scale = 1.0) {
  Array array = make_array({shape.begin(), shape.end()});
  const std::vector<float> floats = random_floats(static_cast<int64_t>(array.size()), seed);
  for (size_t i = 0; i < array.size(); ++i)
    array.data()[i] = scale * static_cast<double>(floats[i]);
  return array;
}

double dot(const Array& a, const Array& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
  return sum;
}

/// A layer, its scalar Σ results · seeds, and the gradients of that.
struct Differentiated {
  Graph graph;
  std::vector<Seed> seeds;
  std::vector<TensorId> wanted, gradients;

  explicit Differentiated(const Config& config) : graph(unroll(graph_of(config))) {
    for (size_t id = 0; id < graph.tensors().size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      const bool learned = tensor.role == Role::kParameter || tensor.role == Role::kInput;
      if (learned && tensor.limit == 0 && tensor.storage == static_cast<TensorId>(id)) {
        wanted.push_back(static_cast<TensorId>(id));
      }
    }
    const size_t results = graph.results().size();
    for (size_t r = 0; r < results; ++r) {
      const TensorId result = graph.results()[r].tensor;
      const Shape shape = graph.tensor(result).shape;
      seeds.push_back({result, graph.add_input("grad", shape)});
    }
    gradients = add_gradients(graph, seeds, wanted);
  }

  /// Random values for what no step makes; a mask hides every third position.
  ReferenceValues leaves(bool with_mask) const {
    ReferenceValues values(graph.tensors().size());
    for (size_t id = 0; id < values.size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      const bool mask = tensor.role == Role::kOptionalInput;
      if (tensor.role == Role::kActivation || (mask && !with_mask)) continue;
      if (tensor.storage != static_cast<TensorId>(id)) continue;
      values[id] = random_array(tensor.shape, static_cast<uint32_t>(id) + 1,
                                tensor.role == Role::kParameter ? 0.3 : 1.0);
      for (size_t i = 0; i < values[id]->size(); ++i) {
        double& one = values[id]->data()[i];
        if (tensor.limit > 0) one = std::floor((one + 1) / 2 * static_cast<double>(tensor.limit));
        if (mask && i % 3 == 0) one = -std::numeric_limits<double>::infinity();
      }
    }
    return values;
  }

  /// Everything, of leaves whose views are yet to be cut out.
  void run(ReferenceValues& values) const {
    for (size_t id = 0; id < values.size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      const auto& whole = values[static_cast<size_t>(tensor.storage)];
      if (tensor.role == Role::kActivation || tensor.storage == static_cast<TensorId>(id)) continue;
      if (!whole) continue;
      values[id] = make_array({tensor.shape.begin(), tensor.shape.end()});
      std::copy_n(whole->data() + tensor.offset, values[id]->size(), values[id]->data());
    }
    run_reference(graph, values);
  }

  double scalar(const ReferenceValues& values) const {
    double sum = 0.0;
    for (const Seed& seed : seeds) {
      sum += dot(*values[static_cast<size_t>(seed.tensor)],
                 *values[static_cast<size_t>(seed.gradient)]);
    }
    return sum;
  }
};

/// The gradients by the tensors [first, end) of `wanted` against the difference quotient along one
/// random direction.
void check_direction(const Differentiated& layer, const ReferenceValues& leaves,
                     const ReferenceValues& values, size_t first, size_t end) {
  constexpr double kStep = 1e-5, kTolerance = 1e-6;
  double norm = 0.0, size = 0.0, expected = 0.0;
  std::vector<Array> direction;
  for (size_t i = first; i < end; ++i) {
    const auto id = static_cast<size_t>(layer.wanted[i]);
    direction.push_back(
        random_array(layer.graph.tensors()[id].shape, 77 + static_cast<uint32_t>(i)));
    norm += dot(direction.back(), direction.back());
    if (layer.gradients[i] == kNoTensor) continue;
    const Array& gradient = *values[static_cast<size_t>(layer.gradients[i])];
    REQUIRE(gradient.size() == leaves[id]->size());
    size += dot(gradient, gradient);
    expected += dot(gradient, direction.back());
  }
  norm = std::sqrt(norm);
  double difference = 0.0;
  for (const double sign : {1.0, -1.0}) {
    ReferenceValues moved = leaves;
    for (size_t i = first; i < end; ++i) {
      Array& leaf = *moved[static_cast<size_t>(layer.wanted[i])];
      for (size_t j = 0; j < leaf.size(); ++j) {
        leaf.data()[j] += sign * kStep / norm * direction[i - first].data()[j];
      }
    }
    layer.run(moved);
    difference += sign * layer.scalar(moved);
  }
  CAPTURE(layer.graph.name_of(layer.wanted[first]));
  check_close(difference / (2 * kStep) / (1.0 + std::sqrt(size)),
              expected / norm / (1.0 + std::sqrt(size)), kTolerance);
}

}  // namespace

TEST_CASE("each step of an operation's gradient knows what that operation made") {
  auto parameters = std::make_shared<Parameters>();
  const LinearModule dense = declare_linear(*parameters, "dense", 4, 4, true);
  Graph layer(parameters);
  const TensorId x = layer.add_input("x", {2, 3, 4});
  const TensorId y = apply_linear(layer, dense, "combine", x, "y");
  const TensorId gate = layer.add_step("gate", "combine", shared_op<Multiply>(), {y, x}, "gated");
  layer.add_result("output", gate);
  const Graph graph = backward_graph(std::move(layer), {"output"}, {});
  std::vector<std::string> found;
  for (const Step& step : graph.steps()) {
    const TensorId of = step.gradient_of;
    found.push_back(format("{}: {}", {step.name, of == kNoTensor ? "-" : graph.tensor(of).name}));
  }
  // Multiply makes two gradients, and a linear step three; their sum by x is of neither.
  CHECK(found.size() == 8);
  CHECK(found[0] == "dense: -");
  CHECK(found[1] == "gate: -");
  CHECK(found[2] == "gate.grad: gated");
  CHECK(found[3] == "gate.grad.2: gated");
  CHECK(found[4] == "dense.grad: y");
  CHECK(found[5] == "dense.grad.2: y");
  CHECK(found[6] == "dense.grad.3: y");
  CHECK(found[7].starts_with("x.grad.sum."));
  CHECK(found[7].ends_with(": -"));

  const Graph again = unroll(graph);
  REQUIRE(again.steps().size() == graph.steps().size());
  for (size_t s = 0; s < again.steps().size(); ++s) {
    const TensorId of = again.steps()[s].gradient_of, before = graph.steps()[s].gradient_of;
    CAPTURE(again.steps()[s].name);
    REQUIRE((of == kNoTensor) == (before == kNoTensor));
    if (of != kNoTensor) CHECK(again.tensor(of).name == graph.tensor(before).name);
  }
}

TEST_CASE("the gradients of what runs again are behind the steps that do") {
  Recipe recipe;
  recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
  recipe.checkpointing = true;
  const Graph graph = training_graph(config("encoder", {{"batch_size", raw(2)},
                                                        {"seq_len", raw(3)},
                                                        {"vocab_size", raw(7)},
                                                        {"hidden_size", raw(4)},
                                                        {"num_heads", raw(2)},
                                                        {"num_layers", raw(2)},
                                                        {"intermediate_size", raw(6)}}),
                                     recipe)
                          .graph;
  int of_iterations = 0;
  for (const Step& step : graph.steps()) {
    if (step.gradient_of == kNoTensor) continue;
    const std::string& of = graph.tensor(step.gradient_of).name;
    if (!of.starts_with("encoder.layer.")) continue;
    CAPTURE(step.name);
    CHECK(of.ends_with(".again"));
    ++of_iterations;
  }
  CHECK(of_iterations > 0);
}

TEST_CASE("gradients are those that difference quotients give, for every layer") {
  std::vector<std::string_view> tried;
  for (const Config& config : small_configs()) {
    CAPTURE(config.layer().name);
    const Differentiated layer(config);
    Count parameters = 0;
    for (const TensorId id : layer.wanted) parameters += elements(layer.graph.tensor(id).shape);
    if (parameters > kMostParameters) continue;
    tried.push_back(config.layer().name);
    for (const bool with_mask : {false, true}) {
      CAPTURE(with_mask);
      const ReferenceValues leaves = layer.leaves(with_mask);
      ReferenceValues values = leaves;
      layer.run(values);
      check_direction(layer, leaves, values, 0, layer.wanted.size());
      if (parameters > 10'000) continue;
      for (size_t i = 0; i < layer.wanted.size(); ++i) {
        check_direction(layer, leaves, values, i, i + 1);
      }
    }
  }
  for (const Layer* layer : layers()) {
    CAPTURE(layer->name);
    CHECK(std::find(tried.begin(), tried.end(), layer->name) != tried.end());
  }
}
