// What is sized is what runs: the bytes that a run is said to take are those that the allocator
// hands out for it, kernels have all their memory before they start, and attention whose weights
// are not wanted takes none for every query and key.

#include <map>
#include <optional>

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/run/threads.h"
#include "../../../cpp/training/backward.h"
#include "../allocations.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

bool has_field(const Layer& layer, std::string_view name) {
  return std::any_of(layer.fields.begin(), layer.fields.end(),
                     [&](const Field& field) { return field.name == name; });
}

/// The layer with those of `sizes` that it has, and `more`.
Config sized(const Layer& layer, const std::map<std::string, int>& sizes, RawConfig more = {}) {
  for (const auto& [name, size] : sizes) {
    if (has_field(layer, name)) more.emplace_back(name, raw(size));
  }
  return config(std::string(layer.name).c_str(), more);
}

/// The layer once as it is by default, and once for each choice of its fields.
std::vector<Config> choices_of(const Layer& layer, const std::map<std::string, int>& sizes) {
  std::vector<Config> configs{sized(layer, sizes)};
  for (const Field& field : layer.fields) {
    for (const std::string_view choice : field.choices) {
      if (field.name == "dtype") continue;
      try {
        configs.push_back(
            sized(layer, sizes, {{std::string(field.name), raw(std::string(choice).c_str())}}));
      } catch (const FieldError&) {
        continue;  // with this choice another field must have another value
      }
    }
  }
  return configs;
}

/// Whether positions follow one another.
bool is_recurrent(const Graph& graph) {
  return std::ranges::any_of(graph.loops(), [](const Loop& loop) { return !loop.list; });
}

/// Bytes that the allocator hands out at most for a model, its inputs and a run.
double measured(const Config& config, const PlanKey& key, Dtype storage,
                const RunOptions& options) {
  const RandomInputs inputs(unroll(graph_of(config), {.masking = !key.tensors.empty()}), false);
  double given = 0;
  for (const Values& values : inputs.values) given += 4.0 * static_cast<double>(values.size());
  start_counting();
  const int64_t before = allocated();
  const Model model(config, 0, kNoLimit, storage);
  model.run(*model.plan(key), inputs.pointers, options);
  return static_cast<double>(most_allocated() - before) + given;
}

std::vector<std::string> every_other_tensor(const Config& config) {
  const Graph graph = unroll(graph_of(config));
  std::vector<std::string> names;
  bool taken = false;
  for (const Step& step : graph.steps()) {
    for (const TensorId id : step.outputs()) {
      if ((taken = !taken)) names.push_back(graph.tensor(id).name);
    }
  }
  return names;
}

void check_bytes(const Config& config, const PlanKey& key, Dtype storage,
                 const RunOptions& options) {
  const double said = static_cast<double>(bytes_to_run(config, key, storage, options));
  const double taken = measured(config, key, storage, options);
  CAPTURE(taken);
  CAPTURE(said);
  if (kSanitized) return;  // the sizes are small there
  CHECK(std::abs(taken - said) <= 0.01 * said);
}

}  // namespace

TEST_CASE("the bytes of a run are what the allocator hands out for it, within 1 %") {
  // Large enough for what graphs and plans take themselves to be little. Sanitizers look at each
  // access, of which small sizes have all kinds.
  const int width = kSanitized ? 48 : 384;
  std::map<std::string, int> sizes{{"seq_len", width / 2}, {"num_layers", 2},
                                   {"vocab_size", 1000},   {"hidden_size", width},
                                   {"input_size", width},  {"intermediate_size", 2 * width}};
  struct Way {
    Dtype storage = Dtype::kFloat32;
    RunOptions options{};
  };
  const Way ways[] = {{},
                      {.storage = Dtype::kFloat16},
                      {.storage = Dtype::kInt8},
                      {.storage = Dtype::kBfloat16, .options = {.compare = true}},
                      {.storage = Dtype::kInt8, .options = {.round = Dtype::kBfloat16}}};
  for (const Layer* layer : layers()) {
    CAPTURE(layer->name);
    const Graph graph = graph_of(sized(*layer, sizes));
    // A plan takes some 7 kB for each position that follows another one.
    const bool recurrent = is_recurrent(graph);
    sizes["seq_len"] = recurrent ? 12 : width / 2;
    sizes["batch_size"] = recurrent ? 192 : graph.loops().empty() ? 12 : 3;
    const Config one = sized(*layer, sizes);
    for (const Way& way : ways) {
      const bool plain = way.storage == Dtype::kFloat32;
      for (const bool weights : plain ? std::vector{true, false} : std::vector{false}) {
        CAPTURE(static_cast<int>(way.storage));
        CAPTURE(way.options.compare);
        CAPTURE(way.options.round.has_value());
        CAPTURE(weights);
        check_bytes(one, {.weights = weights}, way.storage, way.options);
      }
      check_bytes(one, {.tensors = every_other_tensor(one)}, way.storage, way.options);
    }
  }
}

#if !defined(__EMSCRIPTEN__)
TEST_CASE("no kernel allocates while threads are at work, for any layer, storage and choice") {
  const std::map<std::string, int> sizes{{"batch_size", 2},
                                         {"seq_len", 70},
                                         {"num_layers", 2},
                                         {"vocab_size", 50},
                                         {"hidden_size", 96}};
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    for (const Layer* layer : layers()) {
      CAPTURE(layer->name);
      std::vector<Config> configs = choices_of(*layer, sizes);
      if (kSanitized) configs.resize(1, configs[0]);  // it takes ten times as long
      for (const Config& one : configs) {
        for (const Dtype storage : {Dtype::kFloat32, Dtype::kFloat16, Dtype::kInt8}) {
          const Model model(one, 0, kNoLimit, storage);
          const RandomInputs inputs(model.plan()->graph, true);  // the graph that has masks
          for (const bool weights : {true, false}) {
            start_counting();
            forward(model, inputs.pointers, {}, weights);
            CHECK(allocations_at_work() == 0);
          }
        }
      }
    }
  }
  set_thread_count(1);
}
#endif

TEST_CASE("without attention weights no layer's memory grows with queries times keys") {
  for (const Layer* layer : layers()) {
    if (!has_field(*layer, "seq_len")) continue;
    CAPTURE(layer->name);
    const auto arena = [&](int length) {
      std::vector<double> bytes;
      const std::map<std::string, int> sizes{
          {"batch_size", 1}, {"seq_len", length}, {"max_positions", 8192}, {"num_layers", 2}};
      for (const Config& one : choices_of(*layer, sizes)) {
        const Graph layer_graph = graph_of(one);
        if (is_recurrent(layer_graph)) continue;  // has no queries, and no such run
        const Graph graph = unroll(layer_graph);
        const Schedule schedule(graph, {.weights = false});
        bytes.push_back(static_cast<double>(schedule.placement().arena_bytes));
      }
      return bytes;
    };
    const std::vector<double> once = arena(2048), twice = arena(4096);
    for (size_t i = 0; i < once.size(); ++i) {
      CAPTURE(i);
      CHECK(twice[i] <= 2.1 * once[i] + 100'000);
    }
  }
}

namespace {

/// Scores that are no products of queries and keys, or to which something learned is added for each
/// of both: their gradients are made with the whole matrix.
bool keeps_matrix(const Config& config) {
  const std::string_view layer = config.layer().name;
  if (layer == "bahdanau_attention") return true;
  if (layer == "luong_attention") return config.choice("score") == "concat";
  return has_field(config.layer(), "position") && config.choice("position") == "relative";
}

}  // namespace

TEST_CASE("the gradients of attention take no memory that grows with queries times keys") {
  for (const Layer* layer : layers()) {
    if (!has_field(*layer, "seq_len")) continue;
    CAPTURE(layer->name);
    const auto arena = [&](int length) {
      std::vector<double> bytes;
      const std::map<std::string, int> sizes{{"batch_size", 1},
                                             {"seq_len", length},
                                             {"max_positions", 8192},
                                             {"num_layers", 2},
                                             {"dropout", 0}};
      for (const Config& one : choices_of(*layer, sizes)) {
        const Graph layer_graph = graph_of(one);
        if (keeps_matrix(one) || is_recurrent(layer_graph)) continue;
        const Graph made = backward_graph(one, {layer_graph.results().front().name});
        bytes.push_back(static_cast<double>(Schedule(made).placement().arena_bytes));
      }
      return bytes;
    };
    const std::vector<double> once = arena(1024), twice = arena(2048);
    for (size_t i = 0; i < once.size(); ++i) {
      CAPTURE(i);
      CHECK(twice[i] <= 2.1 * once[i] + 100'000);
    }
  }
}
