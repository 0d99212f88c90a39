// The backward pass by the kernels, held against the reference executor.

#include "../../../cpp/run/threads.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

/// Larger ones take the reference executor too long.
constexpr Count kMostParameters = 3'000'000;

#if defined(__EMSCRIPTEN__)
constexpr int kThreadCounts[] = {1};
#else
constexpr int kThreadCounts[] = {1, 2, 3};
#endif

std::vector<std::string> result_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Result& result : graph.results()) names.push_back(result.name);
  return names;
}

double largest(const Values& values) {
  double most = 0.0;
  for (const float value : values) most = std::max(most, static_cast<double>(std::abs(value)));
  return most;
}

/// `terms`: the largest gradient of the layer. One that is 0 by theory, as that by a bias which a
/// softmax takes away, is a sum of such terms, and has their rounding.
void check_near(const Values& actual, const Values& expected, double terms) {
  REQUIRE(shape_of(actual) == shape_of(expected));
  const double allowed = kKernelTolerance * std::max(largest(expected), 0.1 * terms);
  double far = 0.0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double distance =
        std::abs(static_cast<double>(actual.data()[i]) - static_cast<double>(expected.data()[i]));
    if (!(distance <= far)) far = distance;
  }
  CAPTURE(allowed);
  CHECK(far <= allowed);
}

}  // namespace

TEST_CASE(
    "kernels give the gradients of the reference executor, with the same bits on any threads") {
  for (const Config& config : small_configs()) {
    CAPTURE(config.layer().name);
    const Graph plain = graph_of(config);
    set_thread_count(1);
    const Model model(config, 3, kNoLimit);
    Count parameters = 0;
    for (const StateEntry& entry : model.state()) parameters += entry.values->size();
    if (parameters > kMostParameters) continue;
    for (const bool with_mask : {false, true}) {
      CAPTURE(with_mask);
      std::vector<Outputs> all;
      for (const int threads : kThreadCounts) {
        set_thread_count(threads);
        const auto plan = model.backward_plan(result_names(model.graph()), {});
        const RandomInputs inputs(plan->graph, with_mask);
        if (threads == 1) all.push_back(model.backward(*plan, inputs.pointers, true));
        all.push_back(model.backward(*plan, inputs.pointers, false));
        double terms = 0.0;
        for (const Values& gradient : all[0]) terms = std::max(terms, largest(gradient));
        for (size_t r = 0; r < plan->wanted.size(); ++r) {
          CAPTURE(plan->graph.tensor(plan->wanted[r]).name);
          if (threads == 1) {
            check_near(all[1][r], all[0][r], terms);
          } else {
            const bool same = all.back()[r] == all[1][r];
            CHECK(same);
          }
        }
      }
    }
  }
  set_thread_count(1);
}
