#include "unroll.h"

#include <string>
#include <utility>

namespace attnscope {
namespace {

/// A graph that is copied into the unrolled one: the layer's own, or a body in one iteration.
struct Copied {
  const Graph& graph;
  std::string prefix{};  // of all names: "encoder.layer.3."
  FlatNumbers begin{};   // of its parameters and modules, the first flat numbers
  int64_t slice = -1;    // of an iteration of a loop without a list
  std::vector<TensorId> ids{};
  std::vector<std::vector<Copied>> loops{};  // of each loop its iterations

  TensorId at(TensorId id) const { return ids[static_cast<size_t>(id)]; }
};

}  // namespace

class Inliner {
 public:
  explicit Inliner(bool training, Unrolling how = {}) : training_(training), how_(how) {}

  Graph run(const Graph& graph) {
    to_ = Graph(graph.parameters_);
    to_.flat_ = true;
    to_.without_masks_ = graph.without_masks_;
    to_.used_.assign(graph.parameters().flat_count(), kNoTensor);
    Copied whole = copy_tensors(graph, "", {});
    copy_steps(whole);
    for (const Result& result : graph.results()) {
      ResultOptions options = result.options;
      if (options.predicts != kNoTensor) options.predicts = whole.at(options.predicts);
      to_.add_result(result.name, whole.at(result.tensor), options);
    }
    return std::move(to_);
  }

  std::vector<Iteration>& iterations() { return iterations_; }

 private:
  /// All but a body's inputs, which the graph around gives, and what loops make.
  Copied copy_tensors(const Graph& graph, std::string prefix, const FlatNumbers& begin) {
    const bool whole = prefix.empty();
    Copied copied{.graph = graph,
                  .prefix = std::move(prefix),
                  .begin = begin,
                  .ids = std::vector(graph.tensors().size(), kNoTensor)};
    Flags elsewhere(graph.tensors().size(), false);
    if (!whole) {
      for (const TensorId id : graph.inputs()) elsewhere[static_cast<size_t>(id)] = true;
    }
    for (const Loop& loop : graph.loops()) {
      for (const Loop::Output& one : loop.outputs)
        elsewhere[static_cast<size_t>(one.tensor)] = true;
    }
    for (const Step& step : graph.steps()) {
      if (is_left_out(step)) elsewhere[static_cast<size_t>(step.output)] = true;
    }
    for (const Tensor& tensor : graph.tensors()) {
      const size_t id = static_cast<size_t>(&tensor - graph.tensors().data());
      if (elsewhere[id]) continue;
      copied.ids[id] = tensor.role == Role::kParameter ? copy_parameter(copied, tensor, id)
                                                       : copy_tensor(copied, tensor);
    }
    for (const Loop& loop : graph.loops()) {
      std::vector<Copied>& iterations = copied.loops.emplace_back();
      for (int64_t i = 0; i < loop.iterations(); ++i) {
        iterations.push_back(copy_tensors(*loop.body_of(i).graph, copied.prefix + loop.name_of(i),
                                          begin_of(copied, loop, i)));
        if (!loop.list) iterations.back().slice = loop.slice(i);
      }
    }
    return copied;
  }

  /// Where the flat numbers of an iteration begin: at its place of the list, or, without a list,
  /// where those of the graph around it do.
  static FlatNumbers begin_of(const Copied& around, const Loop& loop, int64_t iteration) {
    FlatNumbers begin = around.begin;
    if (!loop.list) return begin;
    const FlatNumbers inside =
        around.graph.parameters().begin_of({loop.member, static_cast<int>(iteration)});
    begin.parameters += inside.parameters;
    begin.modules += inside.modules;
    return begin;
  }

  TensorId copy_tensor(const Copied& copied, const Tensor& tensor) {
    Tensor copy = tensor;
    copy.name = copied.prefix + tensor.name;
    copy.storage = kNoTensor;
    return to_.add_tensor(std::move(copy));
  }

  /// One tensor for each parameter, and one for each part of its rows, however many iterations use
  /// it: their gradients are added there.
  TensorId copy_parameter(const Copied& copied, const Tensor& tensor, size_t id) {
    Tensor copy = tensor;
    const size_t flat = copied.graph.flat_ ? static_cast<size_t>(tensor.parameter)
                                           : copied.graph.parameters().flat(tensor.parameter);
    copy.parameter = static_cast<ParameterId>(copied.begin.parameters + flat);
    if (tensor.storage != static_cast<TensorId>(id)) {
      copy.storage = copied.at(tensor.storage);
      return to_.rows_of_parameter(std::move(copy));
    }
    copy.storage = kNoTensor;
    TensorId& whole = to_.used_[static_cast<size_t>(copy.parameter)];
    if (whole == kNoTensor) whole = to_.add_tensor(std::move(copy));
    return whole;
  }

  static int flat_module(const Copied& copied, int module) {
    if (copied.graph.flat_) return module;
    return static_cast<int>(copied.begin.modules + copied.graph.parameters().flat_module(module));
  }

  void copy_steps(Copied& copied) {
    const std::vector<Step>& steps = copied.graph.steps();
    for (size_t s = 0; s < steps.size(); ++s) {
      if (steps[s].loop != kNoLoop) {
        copy_loop(copied, static_cast<size_t>(steps[s].loop));
      } else {
        copy_step(copied, steps[s]);
      }
      for (const Held& held : copied.graph.held()) {
        if (held.until == s) to_.hold(copied.at(held.tensor));
      }
    }
    for (StateUse state : copied.graph.states()) {
      state.name = copied.prefix + state.name;
      if (state.before != kNoTensor) state.before = copied.at(state.before);
      if (state.after != kNoTensor) state.after = copied.at(state.after);
      to_.add_state(std::move(state));
    }
    for (const auto& [counter, by] : copied.graph.advances()) to_.advance(counter, by);
  }

  bool is_left_out(const Step& step) const {
    return !how_.identities && step.op && step.op->is_identity();
  }

  void copy_step(Copied& copied, const Step& step) {
    if (is_left_out(step)) {
      copied.ids[static_cast<size_t>(step.output)] = copied.at(step.inputs[0]);
      return;
    }
    Step copy = step;
    copy.name = copied.prefix + step.name;
    for (TensorId& id : copy.inputs) id = copied.at(id);
    copy.output = copied.at(step.output);
    if (step.gradient_of != kNoTensor) copy.gradient_of = copied.at(step.gradient_of);
    if (step.module >= 0) copy.module = flat_module(copied, step.module);
    if (const OpPtr here = copied.slice >= 0 ? copy.op->at_slice(copied.slice) : nullptr) {
      copy.op = here;
    }
    if (const OpPtr other = training_ ? step.op->in_training() : nullptr) {
      copy.op = other;
      const Tensor first = to_.tensor(copy.output);
      copy.inputs.push_back(to_.add_input(first.name + ".noise", first.shape, Role::kState));
    }
    if (const OpPtr masking = how_.masking ? copy.op->masking() : nullptr) {
      const std::string name = copied.prefix + masked_name(copied.graph, step);
      to_.add_step(name, copy.part, masking, copy.inputs, name);
    }
    to_.append(std::move(copy));
  }

  void copy_loop(Copied& copied, size_t index) {
    const Loop& loop = copied.graph.loops()[index];
    std::vector<Copied>& iterations = copied.loops[index];
    const MadeSlices slices = make_slices(copied, loop, iterations);
    ++depth_;
    for (size_t i = 0; i < iterations.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      give_inputs(copied, loop, number, slices, i > 0 ? &iterations[i - 1] : nullptr,
                  iterations[i]);
      const size_t begin = to_.steps_.size();
      copy_steps(iterations[i]);
      if (depth_ == 1 && loop.list) iterations_.push_back({begin, to_.steps_.size()});
    }
    --depth_;
    for (const Loop::Output& output : loop.outputs) {
      copied.ids[static_cast<size_t>(output.tensor)] =
          output.stacked ? stack(copied, loop, output, iterations)
                         : result_of(iterations.back(), output.result);
    }
  }

  static TensorId result_of(const Copied& iteration, int result) {
    return iteration.at(iteration.graph.results()[static_cast<size_t>(result)].tensor);
  }

  /// Of each body's arguments the first of the slices that a step makes, the others being behind
  /// it; kNoTensor where there is no such step.
  using MadeSlices = std::vector<std::vector<TensorId>>;

  /// The slices that are no views of inputs.
  MadeSlices make_slices(const Copied& around, const Loop& loop,
                         const std::vector<Copied>& iterations) {
    MadeSlices slices;
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      const Body& body = loop.bodies[kind];
      const std::vector<TensorId> inputs = body.graph->inputs();
      std::vector<TensorId>& of_body = slices.emplace_back(inputs.size(), kNoTensor);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const Argument& one = body.arguments[i];
        if (one.kind != Argument::Kind::kSlice || can_be_viewed(around.at(one.given), one)) {
          continue;
        }
        const Tensor& input = body.graph->tensor(inputs[i]);
        std::vector<std::string> names(static_cast<size_t>(loop.iterations_of(kind)));
        for (int64_t number = 0; number < loop.iterations(); ++number) {
          if (loop.kind_of(number) != kind) continue;
          names[static_cast<size_t>(loop.slice(number))] =
              iterations[static_cast<size_t>(number)].prefix + input.name;
        }
        of_body[i] = to_.add_step(
            format("{}{}.{}{}", {around.prefix, loop.name, body.prefix, input.name}), "combine",
            unbinding(one.dimension, loop.iterations_of(kind)), {around.at(one.given)}, names);
        for (const TensorId id : to_.steps_.back().outputs()) {
          to_.tensors_[static_cast<size_t>(id)].limit = input.limit;
          to_.tensors_[static_cast<size_t>(id)].ignored = input.ignored;
        }
      }
    }
    return slices;
  }

  /// Whether slices are parts of an input or a parameter, one behind another.
  bool can_be_viewed(TensorId given, const Argument& one) const {
    const Tensor& whole = to_.tensor(given);
    return whole.role != Role::kActivation && whole.storage == given && one.dimension == 0;
  }

  /// `before`: the iteration before, nullptr of the first.
  void give_inputs(const Copied& around, const Loop& loop, int64_t number, const MadeSlices& slices,
                   const Copied* before, Copied& iteration) {
    const size_t kind = loop.kind_of(number);
    const int64_t slice = loop.slice(number);
    const std::vector<TensorId> inputs = iteration.graph.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Argument& one = loop.bodies[kind].arguments[i];
      TensorId& id = iteration.ids[static_cast<size_t>(inputs[i])];
      id = around.at(one.given);
      if (one.kind == Argument::Kind::kCarried && before) id = result_of(*before, one.result);
      if (one.kind != Argument::Kind::kSlice) continue;
      const TensorId first = slices[kind][i];
      id = first == kNoTensor ? view(id, slice, iteration, inputs[i])
                              : first + static_cast<TensorId>(slice);
    }
  }

  /// The slice of an input that an iteration takes as its own `input`.
  TensorId view(TensorId given, int64_t slice, const Copied& iteration, TensorId input) {
    const Tensor& whole = to_.tensor(given);
    Tensor part = iteration.graph.tensor(input);
    part.name = iteration.prefix + part.name;
    part.role = whole.role;
    part.storage = given;
    part.offset = slice * static_cast<int64_t>(elements(part.shape));
    part.parameter = whole.parameter;
    return to_.add_tensor(std::move(part));
  }

  TensorId stack(const Copied& around, const Loop& loop, const Loop::Output& output,
                 const std::vector<Copied>& iterations) {
    std::vector<TensorId> slices(iterations.size());
    for (size_t i = 0; i < iterations.size(); ++i) {
      const int64_t slice = loop.slice(static_cast<int64_t>(i));
      slices[static_cast<size_t>(slice)] = result_of(iterations[i], output.result);
    }
    const Tensor& whole = around.graph.tensor(output.tensor);
    const std::string name = around.prefix + whole.name;
    return to_.add_step(name, "combine", stacking(0, whole.shape[0].axis), slices, name);
  }

  const bool training_;
  const Unrolling how_;
  Graph to_;
  int depth_ = 0;                      // loops around the steps that are copied
  std::vector<Iteration> iterations_;  // of loops through lists that are in no other
};

Graph unroll(const Graph& graph, Unrolling how) { return Inliner(false, how).run(graph); }

std::string masked_name(const Graph& graph, const Step& step) {
  return format("masked_{}", {graph.tensor(step.inputs[0]).name});
}

UnrolledForTraining unroll_for_training(const Graph& graph) {
  Inliner inliner(true);
  Graph unrolled = inliner.run(graph);
  return {std::move(unrolled), std::move(inliner.iterations())};
}

}  // namespace attnscope
