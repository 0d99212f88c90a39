#include "../../../cpp/analysis/memory.h"

#include "../../../cpp/analysis/lifetimes.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/dropout.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/ops/softmax.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Counts = std::vector<Count>;

TensorId add(Graph& graph, const char* name, const OpPtr& op, Ids inputs) {
  return graph.add_step(name, "combine", op, inputs, name);
}

/// x (2, 3, 4) -> projected (2, 3, 5) -> activated, by a function that saves what it makes.
struct Activated {
  std::shared_ptr<Parameters> parameters = std::make_shared<Parameters>();
  LinearModule linear = declare_linear(*parameters, "linear", 4, 5, true);
  Graph graph{parameters};
  TensorId x, projected, activated;

  explicit Activated(const char* function = "relu") {
    x = graph.add_input("x", {2, 3, 4});
    projected = apply_linear(graph, linear, "project", x, "projected");
    activated = add(graph, "activated", activation_named(function), {projected});
    graph.add_result("activated", activated);
  }
};

const Lifetime& named(const std::vector<Lifetime>& lives, const std::string& name) {
  for (const Lifetime& life : lives) {
    if (life.name == name) return life;
  }
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("a linear layer and its activation take what is counted by hand, in each format") {
  for (const auto& [dtype, bytes] :
       {std::pair{Dtype::kFloat32, 4}, {Dtype::kFloat16, 2}, {Dtype::kBfloat16, 2}}) {
    CAPTURE(format_of(dtype).name);
    const Memory memory = attnscope::memory(Activated().graph, dtype);
    CHECK(memory.parameters == 25 * bytes);
    CHECK(memory.inputs == 24 * bytes);
    CHECK(memory.output == 30 * bytes);
    CHECK(memory.activations_peak == 60 * bytes);  // before and after the activation
    CHECK(memory.inference_total == (25 + 24 + 60) * bytes);
    CHECK(memory.step_saved == Counts{24 * bytes, 30 * bytes});  // what goes in, what comes out
    CHECK(memory.saved_for_backward == 54 * bytes);
    CHECK(memory.gradients == 25 * bytes);
    CHECK(memory.kept_for_backward == (25 + 25 + 54) * bytes);  // all else is saved already
  }
}

TEST_CASE("int8 is counted in bytes, and is not trained") {
  const Memory memory = attnscope::memory(Activated().graph, Dtype::kInt8);
  CHECK(memory.inference_total == 25 + 24 + 60);
  CHECK(memory.saved_for_backward == 0);
  CHECK(memory.gradients == 0);
  CHECK(memory.kept_for_backward == 0);
  CHECK(memory.step_saved == Counts{0, 0});
}

TEST_CASE("a function of its input saves that, and its result is alive besides") {
  const Memory memory = attnscope::memory(Activated("gelu").graph, Dtype::kFloat32);
  CHECK(memory.step_saved == Counts{4 * 24, 4 * 30});  // x, projected
  CHECK(memory.kept_for_backward == 4 * (25 * 2 + 24 + 30 + 30));
}

TEST_CASE("what several steps save counts once, for the first of them") {
  Activated layer;
  const TensorId again = add(layer.graph, "again", activation_named("gelu"), {layer.activated});
  const TensorId product =
      add(layer.graph, "product", make_op<Multiply>(), {layer.activated, again});
  layer.graph.add_result("product", product);
  // gelu saves what relu has saved; the product that too, and what gelu has made.
  CHECK(attnscope::memory(layer.graph, Dtype::kFloat32).step_saved ==
        Counts{4 * 24, 4 * 30, 0, 4 * 30});
}

TEST_CASE("the peak is where most is alive: a tensor goes once nothing reads it any more") {
  Graph graph;
  const TensorId x = graph.add_input("x", {10});
  TensorId last = x;
  for (const char* name : {"a", "b", "c"})
    last = add(graph, name, activation_named("relu"), {last});
  graph.add_result("c", last);
  CHECK(attnscope::memory(graph, Dtype::kFloat32).activations_peak == 4 * 20);
  // A result stays to the end.
  graph.add_result("a", graph.steps()[0].output);
  CHECK(attnscope::memory(graph, Dtype::kFloat32).activations_peak == 4 * 30);
  CHECK(attnscope::memory(graph, Dtype::kFloat32).output == 4 * 20);
}

TEST_CASE("a view takes nothing, and keeps what it views") {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 5});
  const TensorId a = add(graph, "a", activation_named("relu"), {x});
  const TensorId flat = add(graph, "flat", make_op<Reshape>(Shape{10}), {a});
  const TensorId b = add(graph, "b", activation_named("relu"), {flat});
  graph.add_result("b", b);
  const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
  CHECK(memory.activations_peak == 4 * 20);
  CHECK(memory.step_saved == Counts{4 * 10, 0, 4 * 10});
  const std::vector<Lifetime> lives = timeline(graph, Dtype::kFloat32);
  CHECK(lives.size() == 3);  // x, a, b
  CHECK(named(lives, "a").freed == 2);
}

TEST_CASE("dropout is its input where nothing is trained, and a tensor of its own in training") {
  Graph graph;
  const TensorId x = graph.add_input("x", {10});
  const TensorId a = add(graph, "a", activation_named("relu"), {x});
  const TensorId dropped = add(graph, "dropped", make_op<Dropout>(0.5), {a});
  const TensorId b = add(graph, "b", activation_named("gelu"), {dropped});
  graph.add_result("b", b);
  const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
  CHECK(memory.activations_peak == 4 * 20);
  CHECK(memory.step_saved[0] == 4 * 10);  // a
  CHECK(memory.step_saved[2] == 4 * 10);  // what was dropped out is another tensor
}

TEST_CASE("token ids take eight bytes in every format") {
  Graph graph;
  const TensorId tokens = graph.add_integer_input("tokens", {2, 3}, 100);
  graph.add_result("tokens", tokens);
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16, Dtype::kInt8}) {
    CHECK(attnscope::memory(graph, dtype).inputs == 8 * 6);
  }
}

TEST_CASE("optional inputs are left out") {
  Graph graph;
  const Dimension keys{3, Axis::kKey};
  const TensorId scores = graph.add_input("scores", {2, keys});
  const TensorId mask = graph.add_input("mask", {2, keys}, Role::kOptionalInput);
  graph.add_result("weights", add(graph, "weights", make_op<Softmax>(), {scores, mask}));
  const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
  CHECK(memory.inputs == 4 * 6);
  CHECK(memory.activations_peak == 4 * 6);
  CHECK(timeline(graph, Dtype::kFloat32).size() == 2);
}

TEST_CASE("without weights, what has a number for each query and key does not stand in memory") {
  const Shape heads{2, Dimension{3, Axis::kQuery}, Dimension{5, Axis::kKey}};
  Graph graph;
  const TensorId products = graph.add_input("products", heads);
  const TensorId scores = add(graph, "scores", make_op<Scale>(0.5), {products});
  const TensorId weights = add(graph, "weights", make_op<Softmax>(), {scores});
  graph.add_result("weights", weights, {.weights = true});
  const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
  CHECK(memory.activations_peak == 4 * 60);
  CHECK(memory.activations_peak_without_weights == 0);
  CHECK(memory.inference_total_without_weights == 4 * 30);  // the input alone
}

TEST_CASE("a timeline has the inputs and what owns memory, from birth to its last reader") {
  const Activated layer;
  const std::vector<Lifetime> lives = timeline(layer.graph, Dtype::kFloat16);
  const std::tuple<const char*, Count, int, int> expected[] = {
      {"x", 2 * 24, 0, 1},           // inputs stay to the last row
      {"projected", 2 * 30, 0, 1},   // read by the activation
      {"activated", 2 * 30, 1, 1}};  // the result
  REQUIRE(lives.size() == std::size(expected));
  for (size_t i = 0; i < lives.size(); ++i) {
    const auto& [name, bytes, born, freed] = expected[i];
    CHECK(lives[i].name == name);
    CHECK(lives[i].bytes == bytes);
    CHECK(lives[i].born == born);
    CHECK(lives[i].freed == freed);
  }
}
