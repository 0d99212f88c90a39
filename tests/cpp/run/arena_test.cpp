#include "../../../cpp/run/arena.h"

#include <algorithm>
#include <map>

#include "../../../cpp/analysis/lifetimes.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/run/schedule.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// The most that is needed at once: no plan takes less.
Count most_at_once(const std::vector<Occupancy>& spans) {
  Count most = 0;
  for (const Occupancy& at : spans) {
    Count now = 0;
    for (const Occupancy& span : spans) {
      if (span.born <= at.born && at.born <= span.freed) now += span.size;
    }
    most = std::max(most, now);
  }
  return most;
}

void check_apart(const std::vector<Occupancy>& spans, const ArenaPlan& plan) {
  for (size_t i = 0; i < spans.size(); ++i) {
    CHECK(plan.offsets[i] + spans[i].size <= plan.size);
    for (size_t j = 0; j < i; ++j) {
      const bool together = spans[i].born <= spans[j].freed && spans[j].born <= spans[i].freed;
      const bool overlap = plan.offsets[i] < plan.offsets[j] + spans[j].size &&
                           plan.offsets[j] < plan.offsets[i] + spans[i].size;
      CHECK_FALSE((together && overlap));
    }
  }
}

/// The activations' lifetimes as an estimate has them: each step by itself, in the float32 of runs.
std::vector<Occupancy> estimated(const Graph& graph) {
  std::vector<Occupancy> spans;
  for (const Lifetime& life : timeline(graph, Dtype::kFloat32)) {
    if (life.tensor->role != Role::kActivation) continue;
    spans.push_back({life.bytes, life.born, life.freed});
  }
  return spans;
}

/// What a schedule writes that does not leave, in bytes: from the first entry that writes it to
/// that at which it dies, if anything reads it; and the scratch of each entry.
std::vector<Occupancy> scheduled(const Schedule& schedule) {
  const int last = static_cast<int>(schedule.entries().size()) - 1;
  const Placement& placement = schedule.placement();
  std::map<TensorId, Occupancy> spans;
  std::vector<Occupancy> all;
  for (int e = 0; e <= last; ++e) {
    const Schedule::Entry& entry = schedule.entries()[static_cast<size_t>(e)];
    for (const TensorId written : entry.fusion.writes) {
      const TensorId id = placement.storage[static_cast<size_t>(written)];
      const Count size = 4 * elements(schedule.graph().tensor(id).shape);
      if (placement.offsets[static_cast<size_t>(id)]) spans.try_emplace(id, Occupancy{size, e, e});
    }
    for (const TensorId dead : entry.dead) {
      if (placement.offsets[static_cast<size_t>(dead)]) spans.at(dead).freed = e;
    }
    if (const Count scratch = entry.fusion.scratch.bytes(1)) all.push_back({scratch, e, e});
  }

  for (const auto& [id, span] : spans) all.push_back(span);
  return all;
}

}  // namespace

TEST_CASE("an arena keeps apart what is alive together, and reuses what is not") {
  const std::vector<Occupancy> chain{{100, 0, 1}, {50, 1, 2}, {100, 2, 3}, {50, 3, 4}};
  CHECK(plan_arena(chain).size == 150);
  CHECK(plan_arena({}).size == 0);
  const std::vector<float> random = random_floats(600, 5);
  for (size_t count = 1; count < 60; ++count) {
    std::vector<Occupancy> spans;
    for (size_t i = 0; i < count; ++i) {
      const int born = static_cast<int>(20 * (random[10 * i] + 1));
      const int length = static_cast<int>(5 * (random[10 * i + 1] + 1));
      spans.push_back({static_cast<Count>(1000 * (random[10 * i + 2] + 1)), born, born + length});
    }
    const ArenaPlan plan = plan_arena(spans);
    check_apart(spans, plan);
    CHECK(plan.size >= most_at_once(spans));
    CHECK(plan.size <= 2 * most_at_once(spans));
  }
}

TEST_CASE("the peak that an estimate prints is what an arena takes for the same steps") {
  for (const Layer* layer : layers()) {
    CAPTURE(layer->name);
    const Graph graph = unroll(graph_of(config(std::string(layer->name).c_str())));
    const Memory memory = attnscope::memory(graph, Dtype::kFloat32);
    const std::vector<Occupancy> spans = estimated(graph);
    CHECK(most_at_once(spans) == memory.activations_peak);
    // Among hundreds of steps in a row the order in which spans are placed leaves a gap.
    const Count gap = spans.size() > 100 ? memory.activations_peak / 500 : 0;
    CHECK(plan_arena(spans).size <= memory.activations_peak + gap);
  }
}

TEST_CASE("the arena of a run is hardly larger than what is alive at once in it") {
  for (const Layer* layer : layers()) {
    for (const bool weights : {true, false}) {
      CAPTURE(layer->name);
      CAPTURE(weights);
      const Graph graph = unroll(graph_of(config(std::string(layer->name).c_str())));
      const Schedule schedule(graph, {.weights = weights});
      const std::vector<Occupancy> spans = scheduled(schedule);
      const Count taken = schedule.placement().arena_bytes;
      CHECK(taken >= most_at_once(spans));
      // A cache line each, and what gaps lose.
      const Count most = most_at_once(spans) + 64 * static_cast<Count>(spans.size());
      CHECK(taken <= most + most / 8);
    }
  }
}
