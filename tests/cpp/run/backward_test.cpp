// The backward pass by kernels, against the same steps in double precision.

#include "../../../cpp/training/backward.h"

#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/threads.h"
#include "../allocations.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// Larger layers take too long in double precision.
constexpr Count kMostParameters = 3'000'000;

/// The gradients by all inputs and parameters, given those by all results.
Graph backward_of(const Config& config) {
  const Graph layer = graph_of(config);
  std::vector<std::string> from;
  for (const Result& result : layer.results()) from.push_back(result.name);
  return backward_graph(config, from);
}

/// Where training starts, but for ones and zeros: norms are to have weights that matter. With
/// larger ones attention would see a single key, and of its gradients only rounding would be left.
ParameterValues random_parameters(const Graph& graph) {
  ParameterValues parameters = initial_values(graph.parameters(), 0);
  uint32_t seed = 100;
  for (Values& values : parameters) {
    const Values more = random_values(shape_of(values), ++seed);
    for (size_t i = 0; i < values.size(); ++i) values.data()[i] += 0.05f * more.data()[i];
  }
  return parameters;
}

double largest_of(const Values& values) {
  double largest = 0.0;
  for (const double one : values) largest = std::max(largest, std::abs(one));
  return largest;
}

/// Each number to a small part of the largest of its tensor. `all`: the largest of all gradients.
/// By what adds the same to all scores of a softmax, the bias of keys say, the gradient is 0; by
/// queries and keys it is small where a softmax sees a single key, as luong_attention's of scores
/// that nothing scales does. What is left there is what cancels in y (dy - Σ y dy): float32 keeps
/// the terms of that, and the scores behind y, to a ten-millionth of their own size.
void check_gradient(const Values& actual, const Values& expected, double all) {
  constexpr double kCancelled = 1.5e-6;
  REQUIRE(shape_of(actual) == shape_of(expected));
  double error = 0.0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(static_cast<double>(actual.data()[i]) - expected.data()[i]);
    error = difference <= error ? error : difference;  // NaN stays
  }
  const double largest = largest_of(expected);
  CAPTURE(all);
  CAPTURE(largest);
  CAPTURE(error);
  CHECK(error <= kKernelTolerance * largest + kCancelled * all);
}

}  // namespace

TEST_CASE(
    "gradients by kernels are those in double precision, with the same bits on 1 to 3 threads") {
  for (const Config& one : small_configs()) {
    const Graph graph = backward_of(one);
    const auto state = std::make_shared<ParameterValues>(random_parameters(graph));
    Count parameters = 0;
    for (const Values& values : *state) parameters += static_cast<Count>(values.size());
    if (parameters > kMostParameters) continue;
    CAPTURE(one.layer().name);
    Weights weights(state, Dtype::kFloat32);
    for (const bool with_mask : {false, true}) {
      CAPTURE(with_mask);
      const RandomInputs inputs(graph, with_mask);
      const Outputs expected = run_reference(graph, *state, inputs.pointers);
      Outputs first;
      for (const int threads : kThreadCounts) {
        CAPTURE(threads);
        set_thread_count(threads);
        const Schedule schedule(graph);
        const BoundWeights bound = weights.bind(graph, schedule.packed());
        const auto ignore = [](double) {};
        for (const bool watched : {false, true}) {
          CAPTURE(watched);
          start_counting();
          const Outputs gradients =
              execute(schedule, bound, inputs.pointers, watched ? Progress(ignore) : Progress());
          CHECK(allocations_at_work() == 0);
          if (!first.empty()) {
            const bool same_bits = gradients == first;
            CHECK(same_bits);
            continue;
          }
          REQUIRE(gradients.size() == expected.size());
          double all = 0.0;
          for (const Values& exact : expected) all = std::max(all, largest_of(exact));
          for (size_t r = 0; r < gradients.size(); ++r) {
            CAPTURE(graph.results()[r].name);
            check_gradient(gradients[r], expected[r], all);
          }
          first = gradients;
        }
      }
      set_thread_count(1);
    }
  }
}

namespace {

/// Those by every tensor that a step makes as well, of which the results by `from` depend on it.
Graph backward_of_tensors(const Config& config, const std::vector<std::string>& from) {
  Graph layer = unroll(graph_of(config));
  std::vector<TensorId> tensors;
  std::vector<TensorId> made;
  for (const Step& step : layer.steps())
    std::ranges::copy(step.outputs(), std::back_inserter(made));
  for (const TensorId id : made) {
    try {
      const TensorId one[] = {id};
      backward_graph(layer, from, one);
      tensors.push_back(id);
    } catch (const FieldError& error) {
      CHECK(error.field() == "tensors");
    }
  }
  return backward_graph(std::move(layer), from, tensors);
}

}  // namespace

TEST_CASE("gradients by what steps make are those in double precision, and change no others") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const std::vector<std::string> from{graph_of(one).results().front().name};
    const Graph plain = backward_graph(one, from);
    const auto state = std::make_shared<ParameterValues>(random_parameters(plain));
    Count parameters = 0;
    for (const Values& values : *state) parameters += static_cast<Count>(values.size());
    if (parameters > kMostParameters / 10) continue;
    const Graph graph = backward_of_tensors(one, from);
    CHECK(graph.results().size() > plain.results().size());
    const RandomInputs inputs(graph, true), same(plain, true);
    const Outputs expected = run_reference(graph, *state, inputs.pointers);
    const Outputs before = run_reference(plain, *state, same.pointers);
    Weights weights(state, Dtype::kFloat32);
    const Schedule schedule(graph);
    const Outputs made =
        execute(schedule, weights.bind(graph, schedule.packed()), inputs.pointers, {});
    REQUIRE(made.size() == expected.size());
    double all = 0.0;
    for (const Values& exact : expected) all = std::max(all, largest_of(exact));
    for (size_t r = 0; r < made.size(); ++r) {
      CAPTURE(graph.results()[r].name);
      check_gradient(made[r], expected[r], all);
      if (r < before.size()) CHECK(expected[r] == before[r]);
    }
  }
}

TEST_CASE("gradients of a model in a storage format are those of float32, but for its rounding") {
  // Of the largest number: four products round both of their factors, and a gradient depends on
  // what they make in two ways, by the weights behind it and by what these were multiplied with.
  constexpr double kRoundings = 2 * 2 * 4;
  const Config one = config("transformer_encoder_layer", {{"batch_size", raw(2)},
                                                          {"seq_len", raw(9)},
                                                          {"hidden_size", raw(32)},
                                                          {"num_heads", raw(4)},
                                                          {"intermediate_size", raw(70)}});
  const PlanKey key{.function = Function::kBackward, .given_gradients = {"output"}};
  const auto gradients_of = [&](Dtype storage) {
    const Model model(one, 3, Count{1} << 40, storage);
    const PlanPtr plan = model.plan(key);
    CHECK(plan->schedule.how().storage == storage);
    const RandomInputs inputs(plan->graph, false);
    return model.run(*plan, inputs.pointers).values;
  };
  const Outputs exact = gradients_of(Dtype::kFloat32);
  double all = 0.0;
  for (const Values& values : exact) all = std::max(all, largest_of(values));
  for (const auto& [storage, precision] :
       {std::pair{Dtype::kFloat16, 0x1p-11}, {Dtype::kBfloat16, 0x1p-8}, {Dtype::kInt8, 0x1p-7}}) {
    CAPTURE(precision);
    const Outputs made = gradients_of(storage);
    REQUIRE(made.size() == exact.size());
    double farthest = 0.0;
    for (size_t r = 0; r < made.size(); ++r) {
      for (size_t i = 0; i < made[r].size(); ++i) {
        const double difference = std::abs(static_cast<double>(made[r].data()[i]) -
                                           static_cast<double>(exact[r].data()[i]));
        farthest = difference <= farthest ? farthest : difference;  // NaN stays
      }
    }
    CHECK(farthest > 0.0);
    CHECK(farthest <= kRoundings * precision * all);
  }
}

TEST_CASE("a tensor without gradient is refused by its name") {
  const Config small = config("encoder", {{"num_layers", raw(1)}, {"vocab_size", raw(7)}});
  const Graph layer = unroll(graph_of(small));
  TensorId pooled = kNoTensor;
  for (const Result& result : layer.results()) {
    if (result.name == "pooled") pooled = result.tensor;
  }
  const TensorId tensors[] = {pooled};
  CHECK_THROWS_WITH_AS(
      backward_graph(layer, {"output"}, tensors),
      "tensors must be some by which the given results have a gradient, got pooled", FieldError);
}

TEST_CASE("a watched backward pass tells of its progress in order") {
  const Graph graph = backward_of(config("transformer_encoder_layer", {{"batch_size", raw(2)},
                                                                       {"seq_len", raw(9)},
                                                                       {"hidden_size", raw(32)},
                                                                       {"num_heads", raw(4)}}));
  Weights weights(std::make_shared<ParameterValues>(random_parameters(graph)), Dtype::kFloat32);
  const RandomInputs inputs(graph, false);
  const Schedule schedule(graph);
  std::vector<double> told;
  const auto tell = [&told](double done) { told.push_back(done); };
  execute(schedule, weights.bind(graph, schedule.packed()), inputs.pointers, Progress(tell));
  CHECK(std::is_sorted(told.begin(), told.end()));
  check_close(told.back(), 1.0, 1e-3);
}
