#include "../../../cpp/training/training.h"

#include <algorithm>

#include "../../../cpp/run/reference.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string>;

/// y = x Wᵀ + b of two sequences of three positions, four features to five.
Config dense() {
  return config("dense", {{"batch_size", raw(2)},
                          {"seq_len", raw(3)},
                          {"hidden_size", raw(4)},
                          {"out_features", raw(5)},
                          {"activation", raw("none")}});
}

Config classifier() {
  return config("attention_classifier", {{"batch_size", raw(2)},
                                         {"seq_len", raw(3)},
                                         {"vocab_size", raw(7)},
                                         {"hidden_size", raw(4)},
                                         {"num_heads", raw(2)},
                                         {"num_classes", raw(3)}});
}

Config decoder(int seq_len) {
  return config("decoder", {{"batch_size", raw(2)},
                            {"seq_len", raw(seq_len)},
                            {"vocab_size", raw(13)},
                            {"hidden_size", raw(4)},
                            {"num_layers", raw(2)},
                            {"num_heads", raw(2)},
                            {"num_kv_heads", raw(1)},
                            {"intermediate_size", raw(6)}});
}

/// Squared errors by plain gradient descent.
Recipe descent() {
  Recipe recipe;
  recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
  recipe.optimizer = resolve_optimizer({{"name", raw("sgd")}});
  return recipe;
}

Names operations(const Graph& graph) {
  Names names;
  for (const Step& step : graph.steps()) names.emplace_back(step.op->name());
  return names;
}

int64_t count(const Graph& graph, const char* operation) {
  const Names names = operations(graph);
  return std::count(names.begin(), names.end(), operation);
}

Names names_of(const Graph& graph, const std::vector<TensorId>& ids) {
  Names names;
  for (const TensorId id : ids) names.push_back(graph.name_of(id));
  return names;
}

Names result_names(const Graph& graph) {
  Names names;
  for (const Result& result : graph.results()) names.push_back(result.name);
  return names;
}

const Tensor& tensor_named(const Graph& graph, const std::string& name) {
  TensorId id = 0;
  const auto count = static_cast<TensorId>(graph.tensors().size());
  while (id < count && graph.name_of(id) != name) ++id;
  REQUIRE(id < count);
  return graph.tensor(id);
}

using Rule = StateUse::Rule;

std::vector<StateUse> states_of(const Graph& graph, Rule rule) {
  std::vector<StateUse> states;
  for (const StateUse& state : graph.states()) {
    if (state.rule == rule) states.push_back(state);
  }
  return states;
}

/// The shape of what a graph is given under this name, or "none".
std::string given(const Graph& graph, const std::string& name) {
  for (const TensorId id : graph.inputs()) {
    if (graph.tensor(id).name == name) return to_string(graph.tensor(id).shape);
  }
  return "none";
}

void check_refused(const Config& config, const Recipe& recipe, const char* field,
                   const char* message) {
  CAPTURE(message);
  try {
    training_graph(config, recipe);
    FAIL_CHECK("it was taken");
  } catch (const FieldError& error) {
    CHECK(error.field() == field);
    CHECK(std::string(error.what()) == message);
  }
}

/// A step with random numbers for whatever it is given, in double precision.
struct Evaluated {
  TrainingGraph training;
  ReferenceValues values;

  explicit Evaluated(const Recipe& recipe, Accumulation accumulation = {})
      : training(training_graph(dense(), recipe, accumulation)),
        values(training.graph.tensors().size()) {
    for (size_t id = 0; id < values.size(); ++id) {
      const Tensor& tensor = training.graph.tensors()[id];
      if (tensor.role == Role::kActivation) continue;
      Array& array = values[id].emplace(make_array({tensor.shape.begin(), tensor.shape.end()}));
      // By the name: graphs of different recipes are given the same.
      const std::string name = training.graph.name_of(static_cast<TensorId>(id));
      const auto seed = static_cast<uint32_t>(name.size() * 131 + name.front());
      const std::vector<float> floats = random_floats(static_cast<int64_t>(array.size()), seed);
      std::copy(floats.begin(), floats.end(), array.begin());
    }
    run_reference(training.graph, values);
  }

  const Array& operator[](TensorId id) const { return *values[static_cast<size_t>(id)]; }
};

constexpr double kRounding = 1e-13;  // of sums of some thirty terms in double precision

void check_all(const Array& actual, const Array& expected, double factor, const Array* more) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double rest = more ? more->data()[i] : 0.0;
    check_close(actual.data()[i], factor * expected.data()[i] + rest, kRounding);
  }
}

}  // namespace

TEST_CASE("a step is the forward pass, the loss, the backward pass and the updates") {
  const TrainingGraph training = training_graph(dense(), descent());
  CHECK(operations(training.graph) == Names{"linear", "mse_loss", "constant", "loss_backward",
                                            "matmul", "sum_to", "global_norm", "descend",
                                            "descend"});
  CHECK(names_of(training.graph, training.trained) == Names{"dense.weight", "dense.bias"});
  CHECK(result_names(training.graph) ==
        Names{"loss", "gradient_norm", "gradients.dense.weight", "gradients.dense.bias"});
  for (size_t i = 0; i < training.trained.size(); ++i) {
    const Result& result = training.graph.results()[2 + i];
    CHECK(result.tensor == training.gradients[i]);
    CHECK(result.options.gradient_by == training.trained[i]);
  }
}

TEST_CASE("loss, gradients and their norm are those of plain loops") {
  const Evaluated step(descent());
  const TrainingGraph& training = step.training;
  const auto named = [&](const char* name) -> const Array& {
    return step[tensor_named(training.graph, name).storage];
  };
  const Array &x = named("hidden_states"), &target = named("target");
  const Array &weight = named("dense.weight"), &bias = named("dense.bias");
  double loss = 0.0, squares = 0.0, by_bias[5] = {}, by_weight[5][4] = {};
  for (size_t row = 0; row < 6; ++row) {
    for (size_t o = 0; o < 5; ++o) {
      double error = bias.data()[o] - target.data()[row * 5 + o];
      for (size_t i = 0; i < 4; ++i) error += x.data()[row * 4 + i] * weight.data()[o * 4 + i];
      loss += error * error / 30;
      by_bias[o] += 2 * error / 30;
      for (size_t i = 0; i < 4; ++i) by_weight[o][i] += 2 * error / 30 * x.data()[row * 4 + i];
    }
  }
  const Array &weight_gradient = step[training.gradients[0]],
              &bias_gradient = step[training.gradients[1]];
  for (size_t o = 0; o < 5; ++o) {
    check_close(bias_gradient.data()[o], by_bias[o], kRounding);
    squares += by_bias[o] * by_bias[o];
    for (size_t i = 0; i < 4; ++i) {
      check_close(weight_gradient.data()[o * 4 + i], by_weight[o][i], kRounding);
      squares += by_weight[o][i] * by_weight[o][i];
    }
  }
  check_close(step[training.loss].data()[0], loss, kRounding);
  check_close(step[training.norm].data()[0], std::sqrt(squares), kRounding);
}

TEST_CASE("gradients are clipped to the norm that is allowed, by one factor for all of them") {
  const Evaluated plain(descent());
  const double norm = plain[plain.training.norm].data()[0];
  for (const double share : {0.5, 0.01, 2.0}) {
    CAPTURE(share);
    Recipe recipe = descent();
    recipe.clip_norm = share * norm;
    const Evaluated clipped(recipe);
    CHECK(count(clipped.training.graph, "clip_by_norm") == 2);
    check_close(clipped[clipped.training.norm].data()[0], norm, kRounding);  // as it was before
    const double factor = std::min(1.0, *recipe.clip_norm / (norm + 1e-6));
    for (size_t i = 0; i < 2; ++i) {
      check_all(clipped[clipped.training.gradients[i]], plain[plain.training.gradients[i]], factor,
                nullptr);
    }
  }
}

TEST_CASE("of the calls that make one update, only the last clips and updates") {
  Recipe recipe = descent();
  recipe.clip_norm = 1;
  recipe.accumulation_steps = 4;
  for (const auto& [first, last] :
       {std::pair{true, true}, {true, false}, {false, false}, {false, true}}) {
    CAPTURE(first);
    CAPTURE(last);
    const TrainingGraph training = training_graph(dense(), recipe, {first, last});
    for (const StateUse& state : states_of(training.graph, Rule::kReplaced)) {
      CHECK((state.before == kNoTensor) == first);
    }
    CHECK(count(training.graph, "add") == (first ? 0 : 2));
    CHECK(count(training.graph, "clip_by_norm") == (last ? 2 : 0));
    CHECK(count(training.graph, "descend") == (last ? 2 : 0));
    CHECK(training.graph.filled().size() == (last ? 1 : 0));  // the rates
    CHECK(training.graph.advances().of(kAccumulated) == (last ? -3 : 1));
    CHECK(training.graph.advances().of(kUpdates) == (last ? 1 : 0));
  }
}

TEST_CASE("a call gives its share of the average, and adds it to the calls before") {
  const Evaluated whole(descent());
  Recipe recipe = descent();
  recipe.accumulation_steps = 4;
  const Evaluated first(recipe, {true, false}), next(recipe, {false, false});
  const std::vector<StateUse> kept = states_of(next.training.graph, Rule::kReplaced);
  REQUIRE(kept.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const Array& gradient = whole[whole.training.gradients[i]];
    check_all(first[first.training.gradients[i]], gradient, 0.25, nullptr);
    check_all(next[next.training.gradients[i]], gradient, 0.25, &next[kept[i].before]);
    CHECK(kept[i].after == next.training.gradients[i]);
  }
  check_all(first[first.training.loss], whole[whole.training.loss], 1, nullptr);
}

TEST_CASE("what is frozen has no gradient, no moment and no update") {
  Recipe recipe = descent();
  recipe.optimizer = resolve_optimizer({});
  recipe.frozen = {"dense.weight"};
  const TrainingGraph training = training_graph(dense(), recipe);
  CHECK(names_of(training.graph, training.trained) == Names{"dense.bias"});
  CHECK(result_names(training.graph) == Names{"loss", "gradient_norm", "gradients.dense.bias"});
  CHECK(count(training.graph, "matmul") == 0);  // which made the weight's gradient
  CHECK(count(training.graph, "adam_step") == 1);
  Names kept;
  for (const StateUse& state : training.graph.states()) kept.push_back(state.name);
  CHECK(kept == Names{"dense.bias.exp_avg", "dense.bias.exp_avg_sq", "dense.bias.grad"});

  recipe.frozen.push_back("dense.bias");
  check_refused(dense(), recipe, "frozen",
                "the layer has no parameter to train that is not frozen");
  recipe.frozen = {"dense.weights"};
  check_refused(dense(), recipe, "frozen",
                "the layer has no parameter \"dense.weights\", did you mean dense.weight?");
}

TEST_CASE("an optimizer keeps what torch.optim keeps, under its names") {
  const std::pair<RawConfig, Names> cases[] = {
      {{{"name", raw("sgd")}}, {}},
      {{{"name", raw("sgd")}, {"momentum", raw(0.9)}}, {"momentum_buffer"}},
      {{{"name", raw("rmsprop")}}, {"square_avg"}},
      {{{"name", raw("rmsprop")}, {"centered", raw(true)}, {"momentum", raw(0.9)}},
       {"square_avg", "grad_avg", "momentum_buffer"}},
      {{{"name", raw("adam")}}, {"exp_avg", "exp_avg_sq"}},
      {{{"name", raw("adamw")}, {"amsgrad", raw(true)}},
       {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}}};
  for (const auto& [raw_optimizer, expected] : cases) {
    Recipe recipe = descent();
    recipe.optimizer = resolve_optimizer(raw_optimizer);
    const TrainingGraph training = training_graph(dense(), recipe);
    Names kept, all;
    for (const TensorId parameter : training.trained) {
      const std::string name = training.graph.name_of(parameter);
      for (const std::string& moment : expected) all.push_back(format("{}.{}", {name, moment}));
    }
    for (const StateUse& state : states_of(training.graph, Rule::kInPlace)) {
      kept.push_back(state.name);
      CHECK(training.graph.tensor(state.before).role == Role::kState);
      const std::string owner = state.name.substr(0, state.name.rfind('.'));
      CHECK(training.graph.tensor(state.before).shape == tensor_named(training.graph, owner).shape);
    }
    CHECK(kept == all);
  }
}

TEST_CASE("decay is added to the gradient, but in AdamW; to maximize is to turn it round first") {
  const auto made = [](const char* name, bool maximize) {
    Recipe recipe = descent();
    recipe.optimizer = resolve_optimizer(
        {{"name", raw(name)}, {"weight_decay", raw(0.1)}, {"maximize", raw(maximize)}});
    return training_graph(dense(), recipe).graph;
  };
  for (const char* name : {"sgd", "rmsprop", "adam"})
    CHECK(count(made(name, false), "add_scaled") == 2);
  CHECK(count(made("adamw", false), "add_scaled") == 0);
  CHECK(count(made("sgd", false), "scale") == 0);
  CHECK(count(made("sgd", true), "scale") == 2);
}

TEST_CASE("a loss asks for what its target is, in the shape of the first result") {
  const std::tuple<Config, RawConfig, std::string, std::string> cases[] = {
      {dense(), {{"name", raw("mse_loss")}}, "none", "(2, 3, 5)"},
      {dense(), {{"name", raw("binary_cross_entropy_with_logits")}}, "none", "(2, 3, 5)"},
      {dense(), {}, "(2, 3)", "none"},
      {dense(), {{"target", raw("probabilities")}}, "none", "(2, 3, 5)"},
      {classifier(), {}, "(2,)", "none"},
      {decoder(6), {{"target", raw("next_token")}}, "none", "none"}};
  for (const auto& [layer, loss, labels, target] : cases) {
    Recipe recipe;
    recipe.loss = resolve_loss(loss);
    for (const Graph& graph :
         {training_graph(layer, recipe).graph, evaluation_graph(layer, recipe).graph}) {
      CHECK(given(graph, "labels") == labels);
      CHECK(given(graph, "target") == target);
    }
  }
}

TEST_CASE("labels are classes of the result, or the index that does not count") {
  Recipe recipe;
  recipe.loss.ignore_index = 9;
  const TrainingGraph training = training_graph(classifier(), recipe);
  const Tensor& labels = tensor_named(training.graph, "labels");
  CHECK(labels.limit == 3);
  CHECK(labels.ignored == 9);
}

TEST_CASE("the next token is predicted at each position but the last") {
  Recipe recipe;
  recipe.loss.target = Loss::Target::kNextToken;
  const TrainingGraph training = training_graph(decoder(6), recipe);
  CHECK(to_string(tensor_named(training.graph, "predicting").shape) == "(2, 5, 13)");
  CHECK(to_string(tensor_named(training.graph, "next_tokens").shape) == "(2, 5)");
  check_refused(decoder(1), recipe, "seq_len",
                "seq_len must be at least 2 for a next token, got 1");
  // What the encoder makes only looks like logits: a number for each word.
  const Config encoder = config("encoder", {{"vocab_size", raw(12)}, {"hidden_size", raw(12)}});
  for (const Config& other : {classifier(), encoder}) {
    check_refused(other, recipe, "loss.target",
                  "loss.target \"next_token\" needs a layer that makes logits over its vocabulary "
                  "for each token");
  }
}

TEST_CASE("class weights are a number for each class") {
  Recipe recipe;
  recipe.loss.class_weights = {1, 2, 3};
  const TrainingGraph training = training_graph(classifier(), recipe);
  const std::vector<StateUse> given = states_of(training.graph, Rule::kGiven);
  REQUIRE(given.size() == 1);
  CHECK(given[0].name == "loss.weight");
  CHECK(training.graph.tensor(given[0].before).role == Role::kState);
  CHECK(to_string(training.graph.tensor(given[0].before).shape) == "(3,)");
  recipe.loss.class_weights = {1, 2};
  check_refused(classifier(), recipe, "loss.weight",
                "loss.weight must have a number for each of 3 classes, got 2");
}

TEST_CASE("training drops out, with noise in the order of the steps; evaluation does not") {
  const Recipe recipe;
  const TrainingGraph training = training_graph(classifier(), recipe);
  const std::vector<Filled>& filled = training.graph.filled();
  REQUIRE(filled.size() == 3);
  CHECK(names_of(training.graph, {filled[0].tensor, filled[1].tensor, filled[2].tensor}) ==
        Names{"dropped_weights.noise", "dropped.noise", "rates"});
  CHECK(std::get<Noise>(filled[0].filling).share == 0.1);
  CHECK(std::holds_alternative<Computed>(filled[2].filling));
  const TrainingGraph evaluation = evaluation_graph(classifier(), recipe);
  CHECK(evaluation.graph.filled().empty());
  for (const Tensor& tensor : evaluation.graph.tensors()) CHECK(tensor.role != Role::kState);
  CHECK(evaluation.trained.empty());
  CHECK(result_names(evaluation.graph) == Names{"loss", "output", "weights"});
}

TEST_CASE("checkpointing runs the blocks again, and needs blocks") {
  Recipe recipe;
  recipe.loss.target = Loss::Target::kNextToken;
  const Graph plain = training_graph(decoder(6), recipe).graph;
  recipe.checkpointing = true;
  const Graph again = training_graph(decoder(6), recipe).graph;
  CHECK(count(again, "softmax") == 2 * count(plain, "softmax"));
  CHECK(result_names(again) == result_names(plain));
  recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
  check_refused(dense(), recipe, "checkpointing",
                "checkpointing needs a layer of blocks that repeat, such as encoder or decoder");
}
