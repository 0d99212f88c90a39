// Whose memory each tensor uses: in PyTorch's inference and training, and in our own runs.

#include "../../../cpp/graph/storage.h"

#include <algorithm>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/dropout.h"
#include "../../../cpp/ops/heads.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/optimizer.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/ops/squeeze.h"
#include "../../../cpp/training/training.h"
#include "../configs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string>;

/// What each makes one memory of.
struct Shared {
  Sharing sharing;
  std::vector<Aliasing> by;
};
const Shared kShared[] = {
    {Sharing::kInference,
     {Aliasing::kReshape, Aliasing::kStrided, Aliasing::kUnlessTraining, Aliasing::kInPlace}},
    {Sharing::kTraining, {Aliasing::kReshape, Aliasing::kStrided, Aliasing::kInPlace}},
    {Sharing::kRun, {Aliasing::kReshape, Aliasing::kUnlessTraining, Aliasing::kInPlace}}};

/// "view in owner" of each tensor that is in the memory of another one.
Names views(const Graph& graph, Sharing sharing) {
  const std::vector<TensorId> found = storages(graph, sharing);
  Names names;
  for (size_t id = 0; id < found.size(); ++id) {
    if (found[id] == static_cast<TensorId>(id)) continue;
    names.push_back(graph.name_of(static_cast<TensorId>(id)) + " in " + graph.name_of(found[id]));
  }
  return names;
}

/// One tensor's owner, by going back from step to step.
TensorId owner(const Graph& graph, TensorId id, const std::vector<Aliasing>& by) {
  for (size_t s = graph.steps().size(); s-- > 0;) {
    const Step& step = graph.steps()[s];
    if (!step.op || id < step.output) continue;
    const size_t output = static_cast<size_t>(id - step.output);
    if (output >= step.op->outputs()) continue;
    const Alias alias = step.op->alias(output);
    if (std::find(by.begin(), by.end(), alias.kind) == by.end()) return id;
    id = step.inputs[alias.input];
  }
  return graph.tensor(id).role == Role::kActivation ? id : graph.tensor(id).storage;
}

void check_storages(const Graph& graph) {
  for (const auto& [sharing, by] : kShared) {
    const std::vector<TensorId> found = storages(graph, sharing);
    REQUIRE(found.size() == graph.tensors().size());
    for (size_t id = 0; id < found.size(); ++id) {
      CAPTURE(static_cast<int>(sharing));
      CAPTURE(graph.name_of(static_cast<TensorId>(id)));
      CHECK(found[id] == owner(graph, static_cast<TensorId>(id), by));
      if (sharing == Sharing::kInference) CHECK(found[id] == graph.tensors()[id].storage);
    }
  }
  for (const Loop& loop : graph.loops()) {
    for (const Body& body : loop.bodies) check_storages(*body.graph);
  }
}

TensorId add(Graph& graph, const OpPtr& op, Ids inputs, const char* name) {
  return graph.add_step(name, "combine", op, inputs, name);
}

}  // namespace

TEST_CASE("views of views end in what each kind of sharing takes for one memory") {
  auto parameters = std::make_shared<Parameters>();
  const LinearModule table = declare_linear(*parameters, "table", 4, 4, false);
  Graph graph(parameters);
  const TensorId rows = graph.use({table.weight.parameter, 1, 3});
  const TensorId x = graph.add_input("x", {2, 3, 4});
  const TensorId column = graph.add_input("column", {2, 3, 1});
  add(graph, shared_op<Squeeze>(), {column}, "squeezed");
  add(graph, make_op<Reshape>(Shape{8}), {rows}, "flat_rows");
  const TensorId made = add(graph, activation_named("tanh"), {x}, "made");
  const TensorId heads = add(graph, make_op<SplitHeads>(2), {made}, "heads");
  const TensorId dropped = add(graph, make_op<Dropout>(0.5), {heads}, "dropped");
  const TensorId flat = add(graph, make_op<Reshape>(Shape{24}), {dropped}, "flat");
  const TensorId norm = graph.add_input("norm", {1});
  const TensorId clipped = add(graph, make_op<ClipByNorm>(1.0), {flat, norm}, "clipped");
  add(graph, activation_named("relu"), {clipped}, "read");

  const Names given{"table.weight[1:3] in table.weight", "squeezed in column",
                    "flat_rows in table.weight"};
  const auto and_given = [&](const Names& others) {
    Names all = given;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  };
  CHECK(views(graph, Sharing::kInference) ==
        and_given({"heads in made", "dropped in made", "flat in made", "clipped in made"}));
  CHECK(views(graph, Sharing::kTraining) ==
        and_given({"heads in made", "flat in dropped", "clipped in dropped"}));
  CHECK(views(graph, Sharing::kRun) ==
        and_given({"dropped in heads", "flat in heads", "clipped in heads"}));
}

TEST_CASE("multi-head attention: heads are views of projections, and dropped weights of weights") {
  const Graph graph = graph_of(config("multihead_attention", {{"batch_size", raw(2)},
                                                              {"seq_len", raw(3)},
                                                              {"hidden_size", raw(4)},
                                                              {"num_heads", raw(2)},
                                                              {"dropout", raw(0.5)}}));
  enum : unsigned { kHeads = 1, kDropped = 2 };
  const auto expected = [](unsigned also) {
    Names all;
    const char* const rows[] = {"[0:4]", "[4:8]", "[8:12]"};
    const char* const names[] = {"query", "key", "value"};
    for (int i = 0; i < 3; ++i) {
      for (const char* whole : {"in_proj_weight", "in_proj_bias"}) {
        all.push_back(format("{}{} in {}", {whole, rows[i], whole}));
      }
      if (also & kHeads) all.push_back(format("{}_heads in projected_{}", {names[i], names[i]}));
    }
    if (also & kDropped) all.emplace_back("dropped_weights in weights");
    return all;
  };
  CHECK(views(graph, Sharing::kInference) == expected(kHeads | kDropped));
  CHECK(views(graph, Sharing::kTraining) == expected(kHeads));
  CHECK(views(graph, Sharing::kRun) == expected(kDropped));
  // With noise as one more input a dropout is no view at all.
  CHECK(views(unroll_for_training(graph).graph, Sharing::kInference) == expected(kHeads));
}

TEST_CASE("a decoder's iterations have views of their own, and share what they are given") {
  const Graph graph = unroll(graph_of(config("decoder", {{"batch_size", raw(2)},
                                                         {"seq_len", raw(3)},
                                                         {"past_len", raw(5)},
                                                         {"vocab_size", raw(7)},
                                                         {"hidden_size", raw(4)},
                                                         {"num_layers", raw(2)},
                                                         {"num_heads", raw(2)},
                                                         {"intermediate_size", raw(6)}})));
  const Names inference = views(graph, Sharing::kInference), run = views(graph, Sharing::kRun);
  const auto has = [](const Names& names, const char* view) {
    return std::find(names.begin(), names.end(), view) != names.end();
  };
  for (const char* past :
       {"model.layers.0.past_key in past_keys", "model.layers.1.past_value in past_values"}) {
    CAPTURE(past);
    CHECK(has(inference, past));
    CHECK(has(run, past));
  }
  const char* heads = "model.layers.1.query_heads in model.layers.1.projected_query";
  CHECK(has(inference, heads));
  CHECK_FALSE(has(run, heads));
}

TEST_CASE("of every layer each tensor's owner is where its views lead, step by step") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Graph graph = graph_of(one);
    check_storages(graph);
    check_storages(unroll(graph));
    check_storages(unroll(graph, {.masking = true}));
    check_storages(unroll_for_training(graph).graph);
  }
}

TEST_CASE("an update is in the memory of what it updates, and so is what is clipped") {
  Recipe recipe;
  recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
  recipe.clip_norm = 1;
  const Graph graph = training_graph(config("linear_scorer", {{"bias", raw(false)}}), recipe).graph;
  check_storages(graph);
  for (const auto& [sharing, by] : kShared) {
    CAPTURE(static_cast<int>(sharing));
    const Names names = views(graph, sharing);
    for (const char* view : {"score.weight.updated in score.weight",
                             "score.weight.new_average in score.weight.exp_avg",
                             "score.weight.new_square in score.weight.exp_avg_sq"}) {
      CAPTURE(view);
      CHECK(std::find(names.begin(), names.end(), view) != names.end());
    }
    CHECK(std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("score.weight.grad.clipped in ");
    }));
  }
}
