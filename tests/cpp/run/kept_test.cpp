// Tensors between the steps: what a run hands out of them is what the reference makes, whatever the
// kernels would have kept to themselves, and the results stay what they are.

#include "../../../cpp/run/kept.h"

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/run/threads.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

/// The names of everything between the steps of a layer.
std::vector<std::string> names_of(const Config& config) {
  const Graph graph = unroll(graph_of(config), {.masking = true});
  std::vector<std::string> names;
  for (const Step& step : graph.steps()) {
    for (const TensorId id : step.outputs()) names.push_back(graph.tensor(id).name);
  }
  return names;
}

/// Of the random inputs, which are the same for any list of tensors.
Outputs run(const Model& model, const PlanKey& key, bool with_mask,
            const RunOptions& options = {}) {
  const PlanPtr plan = model.plan(key);
  const RandomInputs inputs(plan->graph, with_mask);
  return model.run(*plan, inputs.pointers, options).values;
}

/// The same numbers, and -inf in the same places.
void check_same_or_hidden(const Values& actual, const Values& expected) {
  REQUIRE(shape_of(actual) == shape_of(expected));
  for (size_t i = 0; i < actual.size(); ++i) {
    const float one = actual.data()[i], other = expected.data()[i];
    if (one == other) continue;
    check_close(one, other, kKernelTolerance);
  }
}

}  // namespace

TEST_CASE("each tensor between the steps is what the reference makes, for every layer") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Model model(one, 0, kNoLimit);
    const std::vector<std::string> names = names_of(one);
    for (const bool with_mask : {false, true}) {
      CAPTURE(with_mask);
      const PlanKey all{.tensors = names};
      const Outputs expected = run(model, all, with_mask, {.reference = true});
      const Outputs made = run(model, all, with_mask);
      const size_t results = expected.size() - names.size();
      REQUIRE(results == model.graph().results().size());
      REQUIRE(made.size() == expected.size());
      for (size_t i = 0; i < made.size(); ++i) check_same_or_hidden(made[i], expected[i]);

      for (size_t i = 0; i < names.size(); ++i) {  // by itself: all other steps stay fused
        CAPTURE(names[i]);
        const Outputs alone = run(model, {.weights = false, .tensors = {names[i]}}, with_mask);
        check_same_or_hidden(alone.front(), expected.front());
        check_same_or_hidden(alone.back(), expected[results + i]);
      }
    }
  }
}

TEST_CASE("on several threads, and of weights in 16 bits, tensors are what all of them make") {
#if defined(__EMSCRIPTEN__)
  const int most = 1;
#else
  const int most = 3;
#endif
  const Config one = config("transformer_encoder_layer", {{"batch_size", raw(2)},
                                                          {"seq_len", raw(130)},
                                                          {"hidden_size", raw(48)},
                                                          {"num_heads", raw(3)},
                                                          {"intermediate_size", raw(70)}});
  const std::vector<std::string> names = names_of(one);
  for (const Dtype storage : {Dtype::kFloat32, Dtype::kBfloat16}) {
    const Model model(one, 0, kNoLimit, storage);
    const Outputs expected = run(model, {.tensors = names}, true);
    set_thread_count(most);
    const Outputs shared = run(model, {.tensors = names}, true);
    set_thread_count(1);
    REQUIRE(shared.size() == expected.size());
    for (size_t i = 0; i < shared.size(); ++i) check_same_or_hidden(shared[i], expected[i]);
  }
}

TEST_CASE("the names of a layer's tensors are all different, and each is found") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    std::vector<std::string> names = names_of(one);
    const Graph graph = unroll(graph_of(one), {.masking = true});
    const std::vector<TensorId> tensors = find_tensors(graph, one.layer().name, names);
    auto found = tensors.begin();
    for (const Step& step : graph.steps()) {
      for (const TensorId id : step.outputs()) CHECK(*found++ == id);
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  }
}

TEST_CASE("what a kernel leaves in memory anyway takes no other kernel") {
  const Config one = config("multihead_attention");
  const auto kernels_with = [&](const char* name) {
    const Graph graph = unroll(graph_of(one), {.masking = true});
    const Keep keep{.weights = false, .tensors = find_tensors(graph, "", {name})};
    return Schedule(graph, keep).entries().size();
  };
  const Graph graph = unroll(graph_of(one));
  const size_t least = Schedule(graph, {.weights = false}).entries().size();
  for (const char* name : {"projected_query", "projected_value", "weights", "merged", "output"}) {
    CAPTURE(name);
    CHECK(kernels_with(name) == least);
  }
  CHECK(kernels_with("query_heads") == least + 1);  // copied beside the attention
  CHECK(kernels_with("context") == least + 1);      // and merged by itself
  CHECK(kernels_with("scores") > least + 1);
}

TEST_CASE("plans are kept, one for each list of names") {
  const Model model(config("multihead_attention"), 0, kNoLimit);
  const PlanPtr plain = model.plan(), kept = model.plan({.tensors = {"scores"}});
  CHECK(plain != kept);
  CHECK(kept != model.plan({.tensors = {"scores", "merged"}}));
  CHECK(kept != model.plan({.weights = false, .tensors = {"scores"}}));
  CHECK(plain == model.plan());
  CHECK(kept == model.plan({.tensors = {"scores"}}));
}

TEST_CASE("a name that no tensor has is refused, with the nearest one or with all") {
  const auto message_of = [](const char* layer, RawConfig fields, const char* name) {
    const Model model(config(layer, std::move(fields)), 0, kNoLimit);
    try {
      model.plan({.tensors = {"output", name}});
    } catch (const FieldError& error) {
      CHECK(error.field() == "tensors");
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message_of("additive_scorer", {}, "weihgts") ==
        "additive_scorer has no tensor \"weihgts\", did you mean weights?");
  CHECK(message_of("additive_scorer", {}, "Q") ==
        "additive_scorer has no tensor \"Q\"; its tensors are projected, activated, scores, "
        "score_row, masked_score_row, weights, output");
  CHECK(message_of("additive_scorer", {}, "hidden_states") ==  // an input
        "additive_scorer has no tensor \"hidden_states\"; its tensors are projected, activated, "
        "scores, score_row, masked_score_row, weights, output");
}

TEST_CASE("a tensor of a layer in a stack is asked for with the layer's place") {
  const Model model(config("encoder", {{"num_layers", raw(2)}, {"seq_len", raw(3)}}), 0, kNoLimit);
  const auto refused = [&](const char* name) {
    try {
      model.plan({.tensors = {name}});
    } catch (const FieldError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("encoder.layer.1.scores") == "");
  CHECK(refused("encoder.layer.2.scores") ==
        "encoder has no tensor \"encoder.layer.2.scores\", did you mean encoder.layer.0.scores?");
  const std::string all = refused("scores");
  CHECK(all.find("encoder.layer.0.scores") != std::string::npos);
  CHECK(all.find("encoder.layer.1.scores") == std::string::npos);
}

TEST_CASE("tensors above the memory limit are refused, and fewer are not") {
  // Scores of 8 x 500 x 500 take 8 MB, everything else less than 2.
  const Config one = config("scaled_dot_product_attention", {{"batch_size", raw(1)},
                                                             {"num_heads", raw(8)},
                                                             {"seq_len", raw(500)},
                                                             {"kv_len", raw(500)},
                                                             {"head_dim", raw(16)}});
  const PlanKey wanted{.weights = false, .tensors = {"scores"}},
      less{.weights = false, .tensors = {"output"}};
  const Count least = bytes_to_run(one, less), needed = bytes_to_run(one, wanted);
  CHECK(static_cast<double>(needed - least) > 1.9 * 8 * 500 * 500 * 4);  // and the weights
  const Model model(one, 0, least);
  CHECK_THROWS_WITH(model.plan(wanted), ("the layer must need at most " + to_string(least) +
                                         " bytes to run with the tensors that are asked for, got " +
                                         to_string(needed) + "; fewer of them take less")
                                            .c_str());
  CHECK(model.plan(less) != nullptr);
}
