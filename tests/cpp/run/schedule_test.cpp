#include "../../../cpp/run/schedule.h"

#include <algorithm>
#include <map>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/training/training.h"
#include "../configs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string>;

/// Bytes [begin, end) of the arena.
struct Place {
  std::string name;
  Count begin, end;
};

/// What each entry finds in the arena, by who reads and who writes what: its own scratch, and each
/// tensor from the entry that first writes it to the last one that reads or writes it.
std::vector<std::vector<Place>> places_of(const Schedule& schedule, int threads) {
  const Placement& placement = schedule.placement();
  std::map<size_t, std::pair<size_t, size_t>> lives;  // by storage
  for (size_t e = 0; e < schedule.entries().size(); ++e) {
    const Fusion& fusion = schedule.entries()[e].fusion;
    for (const TensorId id : fusion.writes) lives.try_emplace(placement.storage_of(id), e, e);
    for (const auto* ids : {&fusion.reads, &fusion.writes}) {
      for (const TensorId id : *ids) {
        const auto life = id < 0 ? lives.end() : lives.find(placement.storage_of(id));
        if (life != lives.end()) life->second.second = e;
      }
    }
  }
  std::vector<std::vector<Place>> places(schedule.entries().size());
  for (size_t e = 0; e < places.size(); ++e) {
    const Schedule::Entry& entry = schedule.entries()[e];
    if (const Count bytes = entry.fusion.scratch.bytes(threads); bytes > 0) {
      places[e].push_back({"scratch", entry.scratch, entry.scratch + bytes});
    }
  }
  for (const auto& [storage, life] : lives) {
    const std::optional<Count> offset = placement.offsets[storage];
    if (!offset) continue;
    const Tensor& tensor = schedule.graph().tensors()[storage];
    Count floats = elements(tensor.shape);
    for (const Schedule::Entry& entry : schedule.entries()) {
      const Shortened& shortened = entry.fusion.shortened;
      if (shortened.id == static_cast<TensorId>(storage)) floats = shortened.floats;
    }
    for (size_t e = life.first; e <= life.second; ++e) {
      places[e].push_back({tensor.name, *offset, *offset + 4 * floats});
    }
  }
  return places;
}

void check_apart(const Schedule& schedule, int threads) {
  for (const std::vector<Place>& places : places_of(schedule, threads)) {
    for (size_t i = 0; i < places.size(); ++i) {
      CAPTURE(places[i].name);
      CHECK(places[i].end <= schedule.placement().arena_bytes);
      CHECK(places[i].begin % 64 == 0);  // whole cache lines
      for (size_t j = 0; j < i; ++j) {
        CAPTURE(places[j].name);
        CHECK((places[i].end <= places[j].begin || places[j].end <= places[i].begin));
      }
    }
  }
}

TrainingGraph step_of(const char* layer, const RawConfig& fields = {}) {
  Recipe recipe;
  recipe.loss = resolve_loss({{"name", raw("mse_loss")}});
  recipe.clip_norm = 1;
  return training_graph(config(layer, fields), recipe);
}

Names written(const Schedule& schedule) {
  Names names;
  for (const Schedule::Entry& entry : schedule.entries()) {
    for (const TensorId id : entry.fusion.writes) names.push_back(schedule.graph().tensor(id).name);
  }
  return names;
}

/// x -> r = relu(x) -> g = gelu(r), and t = tanh(x), u = sigmoid(t). Two rows of seven.
struct Forked {
  Graph graph;
  TensorId x = graph.add_input("x", {2, 7});
  TensorId r = add("relu", x, "r"), t = add("tanh", x, "t"), g = add("gelu", r, "g"),
           u = add("sigmoid", t, "u");

  TensorId add(const char* function, TensorId from, const char* name) {
    return graph.add_step(name, "combine", activation_named(function), {from}, name);
  }
};

}  // namespace

TEST_CASE("nothing overlaps in the arena while it is alive, for every layer") {
  for (const Config& config : small_configs()) {
    const Graph graph = unroll(graph_of(config));
    for (const bool weights : {true, false}) {
      for (const int threads : {1, 3}) {
        CAPTURE(config.layer().name);
        CAPTURE(weights);
        check_apart(Schedule(graph, {.weights = weights}, {.threads = threads}), threads);
      }
    }
  }
}

TEST_CASE("nothing overlaps in the arena while it is alive, in the steps of training") {
  for (const char* layer : {"linear_scorer", "attention_classifier", "multihead_attention",
                            "transformer_encoder_layer", "gated_attention_pooling"}) {
    CAPTURE(layer);
    const TrainingGraph training = step_of(layer);
    check_apart(Schedule(training.graph, {}, {.threads = 2}), 2);
  }
}

TEST_CASE("steps that no output needs are left out, and those of kept tensors are not") {
  Forked forked;
  forked.graph.add_result("g", forked.g);
  const auto makes = [&](const Schedule& schedule, const char* name) {
    const Names names = written(schedule);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const Schedule result(forked.graph);
  CHECK(makes(result, "g"));
  CHECK_FALSE(makes(result, "t"));
  CHECK_FALSE(makes(result, "u"));
  const Schedule kept(forked.graph, {.tensors = {forked.t}});
  CHECK(makes(kept, "g"));
  CHECK(makes(kept, "t"));
  CHECK_FALSE(makes(kept, "u"));
  CHECK(std::ranges::equal(kept.results(), std::vector<TensorId>{forked.g, forked.t}));
  CHECK(kept.result_bytes() == 2 * 4 * 14);
}

TEST_CASE("attention weights are outputs only where they are wanted") {
  Forked forked;
  forked.graph.add_result("g", forked.g);
  forked.graph.add_result("u", forked.u, {.weights = true});
  CHECK(outputs_of(forked.graph, {}) == std::vector<TensorId>{forked.g, forked.u});
  CHECK(outputs_of(forked.graph, {.weights = false}) == std::vector<TensorId>{forked.g});
  CHECK(outputs_of(forked.graph, {.weights = false, .tensors = {forked.r}}) ==
        std::vector<TensorId>{forked.g, forked.r});
  const Names with = written(Schedule(forked.graph));
  const Names without = written(Schedule(forked.graph, {.weights = false}));
  CHECK(std::count(with.begin(), with.end(), "u") == 1);
  CHECK(std::count(without.begin(), without.end(), "u") == 0);
}

TEST_CASE("what goes to a cache is an output that is not returned") {
  Forked forked;
  forked.graph.add_result("g", forked.g);
  forked.graph.add_state(
      {.rule = StateUse::Rule::kAppended, .name = "cache", .after = forked.u, .new_positions = 2});
  CHECK(outputs_of(forked.graph, {}) == std::vector<TensorId>{forked.g});
  CHECK(outputs_of(forked.graph, {.states = true}) == std::vector<TensorId>{forked.g, forked.u});
  const Schedule schedule(forked.graph, {.states = true});
  CHECK(std::ranges::equal(schedule.results(), std::vector<TensorId>{forked.g}));
  const Names names = written(schedule);
  CHECK(std::count(names.begin(), names.end(), "u") == 1);
}

TEST_CASE("what leaves the run has memory of its own, and what does not is in the arena") {
  auto parameters = std::make_shared<Parameters>();
  const LinearModule linear = declare_linear(*parameters, "linear", 7, 7, true);
  Graph graph(parameters);
  const TensorId x = graph.add_input("x", {40, 7});
  const TensorId first = apply_linear(graph, linear, "project", x, "first");
  const TensorId second = apply_linear(graph, linear, "project", first, "second");
  const TensorId flat =
      graph.add_step("flat", "combine", make_op<Reshape>(Shape{280}), {second}, "flat");
  graph.add_result("flat", flat);
  const Schedule schedule(graph);
  const Placement& placement = schedule.placement();
  CHECK(placement.storage_of(flat) == static_cast<size_t>(second));  // the same numbers
  CHECK_FALSE(placement.offsets[static_cast<size_t>(second)]);
  CHECK(placement.offsets[static_cast<size_t>(first)]);
  CHECK(placement.arena_bytes >= 40 * 7 * 4);
  const TensorId weight = graph.use(linear.weight);
  CHECK(schedule.packed() == std::vector<Packing>{weight, weight});
}

TEST_CASE("an activation dies once, where it is read for the last time") {
  for (const char* layer : {"additive_scorer", "multihead_attention", "encoder"}) {
    CAPTURE(layer);
    const Graph graph = unroll(graph_of(config(layer)));
    const Schedule schedule(graph);
    std::map<TensorId, size_t> death;
    for (size_t e = 0; e < schedule.entries().size(); ++e) {
      for (const TensorId id : schedule.entries()[e].dead) {
        CHECK(death.try_emplace(id, e).second);
      }
    }
    for (size_t e = 0; e < schedule.entries().size(); ++e) {
      for (const TensorId id : schedule.entries()[e].fusion.reads) {
        if (id < 0) continue;
        const auto dies = death.find(static_cast<TensorId>(schedule.placement().storage_of(id)));
        if (dies != death.end()) CHECK(e <= dies->second);
      }
    }
    for (const TensorId id : schedule.results()) CHECK_FALSE(death.contains(id));
  }
}

TEST_CASE("updates are those entries that write parameters or moments, after all others") {
  const TrainingGraph training = step_of("linear_scorer");
  const Schedule schedule(training.graph);
  bool updating = false;
  Names updated;
  for (const Schedule::Entry& entry : schedule.entries()) {
    bool lasting = false;
    for (const TensorId id : entry.fusion.writes) {
      const size_t storage = schedule.placement().storage_of(id);
      const Tensor& tensor = training.graph.tensors()[storage];
      if (tensor.role != Role::kParameter && tensor.role != Role::kState) continue;
      updated.push_back(training.graph.name_of(static_cast<TensorId>(storage)));
      lasting = true;
    }
    CHECK(entry.updates == lasting);
    CHECK(entry.updates >= updating);
    updating = updating || entry.updates;
  }
  std::ranges::sort(updated);
  CHECK(updated == Names{"score.bias", "score.bias.exp_avg", "score.bias.exp_avg_sq",
                         "score.weight", "score.weight.exp_avg", "score.weight.exp_avg_sq"});
  const Graph layer = unroll(graph_of(config("linear_scorer")));
  const Schedule forward(layer);
  for (const Schedule::Entry& entry : forward.entries()) CHECK_FALSE(entry.updates);
}

TEST_CASE("bytes are those of all that a run needs, counted by hand") {
  const TrainingGraph training = step_of("dense", {{"batch_size", raw(2)},
                                                   {"seq_len", raw(3)},
                                                   {"hidden_size", raw(4)},
                                                   {"out_features", raw(5)}});
  const Schedule schedule(training.graph, {}, {.threads = 1});
  CHECK(schedule.parameter_bytes() == 4 * 25);
  CHECK(schedule.state_bytes() == 4 * (2 * 25 + 5));           // two moments, and the rates
  CHECK(schedule.input_bytes() == 4 * (24 + 30));              // hidden states, target
  CHECK(schedule.result_bytes() == 4 * (1 + 1 + 25));          // loss, norm, gradients
  CHECK(schedule.packed_bytes(Dtype::kFloat32) == 4 * 8 * 4);  // a panel of eight rows of four
  CHECK(schedule.bytes() == 4 * (25 + 55 + 54 + 27 + 32) + schedule.placement().arena_bytes);
}

TEST_CASE("the most work is that of the largest product, its bias and what is fused with it") {
  const Graph graph = unroll(graph_of(config("dense", {{"batch_size", raw(2)},
                                                       {"seq_len", raw(3)},
                                                       {"hidden_size", raw(4)},
                                                       {"out_features", raw(5)},
                                                       {"activation", raw("relu")}})));
  const Schedule schedule(graph);
  CHECK(schedule.entries().size() == 1);
  CHECK(schedule.most_work() == 2 * 3 * 5 * (4 + 1 + 1));
}
