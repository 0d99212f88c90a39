// The figures of the calculator page that attnscope grew from.

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/lifetimes.h"
#include "../../../cpp/analysis/memory.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

LayerCost cost_of(const Config& config) {
  const Graph graph = graph_of(config);
  return cost(rows_of(graph), Dtype::kFloat32);
}

StepCost total(const Config& config) { return cost_of(config).total; }

Count macs_of(const Config& config, const char* part) {
  const LayerCost layer = cost_of(config);
  for (const PartCost& one : layer.parts) {
    if (one.part == part) return one.cost.operations.macs();
  }
  return -1;
}

bool equal(Count actual, int64_t expected) { return actual == Count{expected}; }

}  // namespace

TEST_CASE("parameters of the scorers are those of their linear layers") {
  CHECK(equal(total(config("linear_scorer")).parameters, 769));
  CHECK(equal(total(config("linear_scorer", {{"bias", raw(false)}})).parameters, 768));
  CHECK(equal(total(config("additive_scorer")).parameters, 98561));
  CHECK(equal(total(config("additive_scorer", {{"bias", raw(false)}})).parameters, 98432));
}

TEST_CASE(
    "scoring 32 x 128 x 768 costs its matrix products, and pooling as much as a linear score") {
  const Config linear = config("linear_scorer"), additive = config("additive_scorer");
  CHECK(equal(macs_of(linear, "score"), 3145728));
  CHECK(equal(macs_of(linear, "combine"), 3145728));
  CHECK(equal(macs_of(additive, "project") + macs_of(additive, "score"), 403177472));
  CHECK(equal(macs_of(additive, "combine"), 3145728));
}

TEST_CASE("the scores of 32 sequences of 128 positions take 16 KiB in float32") {
  const Graph graph = graph_of(config("linear_scorer", {{"output", raw("scores")}}));
  CHECK(graph.tensor(graph.results()[0].tensor).shape == Shape{32, 128, 1});
  CHECK(equal(memory(graph, Dtype::kFloat32).output, 16384));
  CHECK(equal(memory(graph, Dtype::kBfloat16).output, 8192));
}

TEST_CASE("counts stay exact where doubles and 64-bit integers do not") {
  const int largest = 2147483647;
  const StepCost huge = total(config("additive_scorer", {{"batch_size", raw(largest)},
                                                         {"seq_len", raw(largest)},
                                                         {"hidden_size", raw(largest)},
                                                         {"attn_dim", raw(largest)}}));
  // n⁴ + 2n³ with n = 2³¹ - 1, from exact integer arithmetic elsewhere.
  CHECK(to_string(huge.operations.macs()) == "21267647912751613337894828570394492927");
}

TEST_CASE("an activation is freed after its last reader, and a result lives to the end") {
  const Graph graph = graph_of(config("additive_scorer", {{"batch_size", raw(1)},
                                                          {"seq_len", raw(2)},
                                                          {"hidden_size", raw(3)},
                                                          {"attn_dim", raw(5)}}));
  std::vector<std::string> rows;
  for (const Lifetime& life : timeline(graph, Dtype::kFloat32)) {
    rows.push_back(life.tensor->name + " " + std::to_string(life.born) + ".." +
                   std::to_string(life.freed));
  }
  CHECK(rows == std::vector<std::string>{"hidden_states 0..5", "projected 0..1", "activated 1..2",
                                         "scores 2..4", "weights 4..5", "output 5..5"});
  const Memory bytes = memory(graph, Dtype::kFloat32);
  CHECK(equal(bytes.activations_peak, 2 * 2 * 5 * 4));  // projected and activated together
}

TEST_CASE("each storage is saved once for the backward pass") {
  const Memory bytes = memory(graph_of(config("linear_scorer")), Dtype::kFloat32);
  CHECK(
      equal(bytes.saved_for_backward, 4 * (32 * 128 * 768 + 32 * 128)));  // hidden states, weights
  CHECK(equal(bytes.step_saved.back(), 0));  // pooling saves nothing that is not saved already
}

TEST_CASE("int8 is not trained") {
  const Memory bytes = memory(graph_of(config("linear_scorer")), Dtype::kInt8);
  CHECK(equal(bytes.saved_for_backward, 0));
  CHECK(equal(bytes.kept_for_backward, 0));
  CHECK(equal(bytes.parameters, 769));
}
