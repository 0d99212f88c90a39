// Where the time of a training step goes: the second part of `npm run bench -- --limits`. Every
// kernel of the schedule that a trainer runs is timed by itself, with one thread, beside the chain
// of multiply-adds: so products of the backward pass, attention's backward and whole steps have
// their share of what the machine allows. The core and its kernels are the objects of the released
// module.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "../../cpp/kernels/peaks.h"
#include "../../cpp/run/model.h"
#include "../../cpp/run/trainer.h"

namespace {

using namespace attnscope;

constexpr Count kLimit = Count{7} << 29;  // bytes that WebAssembly has for a model
constexpr double kWarmUp = 0.3;           // seconds
constexpr double kTimed = 3;              // that a step is repeated for, about
constexpr size_t kLeastRounds = 3, kMostRounds = 41;
constexpr size_t kLongName = 40;  // letters from which on no further operation is named

volatile float sink;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Seconds that the chain takes for a FLOP.
double chain_pace() {
  constexpr int64_t kChain = 200'000;
  const double start = now();
  sink = kernels::madd_chain(sink, kChain);
  return (now() - start) / static_cast<double>(kernels::madd_chain_flops(kChain));
}

/// Numbers for everything that a run of the graph is given: token ids where it takes integers,
/// small numbers elsewhere, and zeros for what an optimizer keeps, its rates among it: nothing
/// learns.
class Given {
 public:
  explicit Given(const Graph& graph) : values_(graph.tensors().size()), inputs_(values_.size()) {
    uint32_t state = 1;
    for (size_t id = 0; id < values_.size(); ++id) {
      const Tensor& tensor = graph.tensors()[id];
      const bool kept = tensor.role == Role::kState;
      if (tensor.role != Role::kInput && !kept) continue;
      if (tensor.storage != static_cast<TensorId>(id)) continue;  // a part of another input
      values_[id] = make_values(tensor.shape);
      for (float& number : values_[id]) {
        state = state * 1664525u + 1013904223u;
        const float share = static_cast<float>(state >> 8) / float{1 << 24};
        const auto limit = static_cast<float>(tensor.limit);
        number = kept ? 0.0f : limit > 0 ? std::min(share * limit, limit - 1) : share - 0.5f;
        if (limit > 0) number = static_cast<float>(static_cast<int64_t>(number));
      }
      inputs_[id] = &values_[id];
    }
  }

  const Inputs& inputs() const { return inputs_; }

 private:
  std::vector<Values> values_;
  Inputs inputs_;
};

/// What the kernels do that are shown together.
struct Line {
  std::string phase, name;
  double flops = 0;  // of products
  size_t kernels = 0;
  std::vector<double> seconds = {};  // of each round
};

/// The lines of a schedule, and to which of them each of its entries belongs.
class Lines {
 public:
  /// `loss`: what ends the forward pass.
  Lines(const Schedule& schedule, TensorId loss) {
    const Graph& graph = schedule.graph();
    std::vector<TensorId> needed = outputs_of(graph, {});
    for (const Step& step : graph.steps()) {
      const TensorId storage = schedule.placement().storage[static_cast<size_t>(step.output)];
      const Role role = graph.tensor(storage).role;
      const bool updates = role == Role::kParameter || role == Role::kState;
      if (updates) needed.push_back(step.output);
    }
    Steps steps(graph, needed);
    for (const Schedule::Entry& entry : schedule.entries()) steps.gather(entry.fusion.gathered);
    std::map<TensorId, size_t> made;  // by which step
    for (size_t i = 0; i < steps.size(); ++i) made[steps[i].output] = i;
    const size_t forward = made.at(loss) + 1;
    for (const Schedule::Entry& entry : schedule.entries()) {
      size_t last = 0;
      for (const TensorId id : entry.fusion.writes) last = std::max(last, made.at(id));
      const size_t first = last + 1 - std::min(entry.fusion.steps, last + 1);
      double flops = 0;
      std::string name;
      for (size_t i = first; i <= last; ++i) {
        flops += flops_of(graph, steps[i]);
        if (name.size() < kLongName) {
          name += (i > first ? " + " : "") + std::string(steps[i].op->name());
        }
      }
      if (flops > 0) name += ": " + shape_of(graph, steps[last].output);
      const char* phase = entry.updates ? "update" : last < forward ? "forward" : "backward";
      Line& line = line_of(phase, name);
      line.flops += flops;
      ++line.kernels;
      of_entry_.push_back(static_cast<size_t>(&line - lines_.data()));
    }
  }

  std::vector<Line>& all() { return lines_; }
  Line& of_entry(size_t i) { return lines_[of_entry_[i]]; }

 private:
  static double flops_of(const Graph& graph, const Step& step) {
    const Cost cost = step.op->cost(graph.input_shapes(step), graph.tensor(step.output).shape);
    return 2.0 * static_cast<double>(cost[Operation::kVisibleMac]);
  }

  static std::string shape_of(const Graph& graph, TensorId id) {
    std::string text;
    for (const Dimension& dimension : graph.tensor(id).shape) {
      text += (text.empty() ? "" : " x ") + std::to_string(dimension.size);
    }
    return text;
  }

  Line& line_of(const char* phase, const std::string& name) {
    for (Line& line : lines_) {
      if (line.phase == phase && line.name == name) return line;
    }
    return lines_.emplace_back(Line{phase, name});
  }

  std::vector<Line> lines_;
  std::vector<size_t> of_entry_;
};

/// One run of the schedule; adds what each kernel takes to its line.
void run_timed(const Schedule& schedule, const BoundWeights& weights, const Inputs& inputs,
               Lines& lines) {
  Workspace workspace(schedule.graph(), schedule.placement(), schedule.results(), weights, inputs,
                      {});
  for (Line& line : lines.all()) line.seconds.push_back(0);
  for (size_t i = 0; i < schedule.entries().size(); ++i) {
    const Schedule::Entry& entry = schedule.entries()[i];
    const double start = now();
    for (const TensorId id : entry.fusion.reads) workspace.load(id);
    workspace.enter(entry.fusion.writes, entry.fusion.scratch, entry.scratch);
    entry.fusion.kernel(workspace);
    lines.of_entry(i).seconds.back() += now() - start;
  }
}

void print(const char* phase, const char* name, size_t kernels, double flops, double seconds,
           double step, double pace) {
  std::printf("  %-9s %-66s %3zu  %8.2f ms %3.0f %%", phase, name, kernels, 1000 * seconds,
              100 * seconds / step);
  if (flops > 0) {
    std::printf("  %5.1f GFLOP/s  %3.0f %% of the chain", 1e-9 * flops / seconds,
                100 * flops * pace / seconds);
  }
  std::printf("\n");
}

/// Times a schedule's kernels, and prints them by what they do.
void time_schedule(const char* name, const Schedule& schedule, const Config& config,
                   TensorId loss) {
  Model model(config, 0, kLimit);
  const BoundWeights weights = model.weights().bind(schedule.graph(), schedule.packed());
  const Given given(schedule.graph());
  Lines lines(schedule, loss);
  run_timed(schedule, weights, given.inputs(), lines);
  run_timed(schedule, weights, given.inputs(), lines);
  for (Line& line : lines.all()) line.seconds.clear();  // while the engine compiled them again

  std::vector<double> paces, steps;
  const double start = now();
  while (steps.size() < kMostRounds && (steps.size() < kLeastRounds || now() - start < kTimed)) {
    paces.push_back(chain_pace());
    run_timed(schedule, weights, given.inputs(), lines);
    double step = 0;
    for (const Line& line : lines.all()) step += line.seconds.back();
    steps.push_back(step);
  }
  const double pace = median(paces), step = median(steps);
  double flops = 0;
  std::map<std::string, std::tuple<size_t, double, double>> phases;
  for (const Line& line : lines.all()) {
    flops += line.flops;
    if (line.flops == 0) continue;
    auto& [kernels, all, seconds] = phases[line.phase];
    kernels += line.kernels;
    all += line.flops;
    seconds += median(line.seconds);
  }
  std::printf("\n%s: %.2f ms, %.1f GFLOP/s, %.0f %% of the chain (%.1f GFLOP/s)\n", name,
              1000 * step, 1e-9 * flops / step, 100 * flops * pace / step, 1e-9 / pace);
  std::stable_sort(lines.all().begin(), lines.all().end(), [](const Line& a, const Line& b) {
    return median(a.seconds) > median(b.seconds);
  });
  for (const Line& line : lines.all()) {
    print(line.phase.c_str(), line.name.c_str(), line.kernels, line.flops, median(line.seconds),
          step, pace);
  }
  for (const auto& [phase, sums] : phases) {
    const auto& [kernels, all, seconds] = sums;
    print(phase.c_str(), "all with products", kernels, all, seconds, step, pace);
  }
}

RawValue raw(double number) { return {number}; }
RawValue raw(const char* text) { return {std::string(text)}; }

void time_training(const char* name, const RawConfig& fields, Loss::Kind kind,
                   Loss::Target target) {
  const Config config = resolve(fields);
  const Recipe recipe{.loss = {.kind = kind, .target = target}};
  const TrainingGraph training = training_graph(config, recipe);
  time_schedule(name, Schedule(training.graph), config, training.loss);
}

/// Forward and backward.
void time_attention(const char* name, double S) {
  const Config config = resolve({{"layer", raw("scaled_dot_product_attention")},
                                 {"batch_size", raw(1)},
                                 {"num_heads", raw(12)},
                                 {"seq_len", raw(S)},
                                 {"kv_len", raw(S)},
                                 {"head_dim", raw(64)}});
  const Graph graph = backward_graph(config, {"output"});
  time_schedule(name, Schedule(graph), config, graph.results().front().tensor);
}

}  // namespace

int main() try {
  for (const double start = now(); now() - start < kWarmUp;) chain_pace();
  time_training("training step of the classifier, 32 x 50",
                {{"layer", raw("attention_classifier")},
                 {"batch_size", raw(32)},
                 {"seq_len", raw(50)},
                 {"vocab_size", raw(5000)},
                 {"hidden_size", raw(128)},
                 {"num_heads", raw(4)},
                 {"dropout", raw(0.0)}},
                Loss::Kind::kCrossEntropy, Loss::Target::kIndices);
  time_training("training step of an encoder layer, 8 x 128 x 768",
                {{"layer", raw("transformer_encoder_layer")},
                 {"batch_size", raw(8)},
                 {"seq_len", raw(128)},
                 {"hidden_size", raw(768)},
                 {"num_heads", raw(12)},
                 {"intermediate_size", raw(3072)},
                 {"dropout", raw(0.0)}},
                Loss::Kind::kSquaredError, Loss::Target::kNumbers);
  time_training("training step of an additive scorer, 32 x 128 x 768",
                {{"layer", raw("additive_scorer")},
                 {"batch_size", raw(32)},
                 {"seq_len", raw(128)},
                 {"hidden_size", raw(768)},
                 {"attn_dim", raw(128)}},
                Loss::Kind::kSquaredError, Loss::Target::kNumbers);
  time_attention("attention forward and backward, 12 heads of 64, S 512", 512);
  time_attention("attention forward and backward, 12 heads of 64, S 2048", 2048);
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
