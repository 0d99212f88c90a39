#include "backward.h"

#include <algorithm>
#include <memory>

#include "../graph/gradients.h"
#include "../graph/unroll.h"
#include "../ops/arithmetic.h"
#include "../ops/concat.h"
#include "../ops/reshape.h"

namespace attnscope {
namespace {

class Backward {
 public:
  explicit Backward(Graph& graph) : graph_(graph), gradients_(graph.tensors().size(), kNoTensor) {
    for (size_t id = 0; id < gradients_.size(); ++id) made_.push_back(static_cast<TensorId>(id));
  }

  /// Adds `gradient` to what there is of the tensor's.
  void collect(TensorId tensor, TensorId gradient) {
    gradient = renamed(tensor, gradient, graph_.tensor(tensor).shape);
    TensorId& sum = gradients_[static_cast<size_t>(tensor)];
    sum = sum == kNoTensor ? gradient : added(tensor, sum, gradient);
  }

  /// Adds these steps of the forward pass once more; the steps behind them read what is made then.
  void run_again(std::span<const Step> steps) {
    for (const Step& step : steps) {
      std::vector<TensorId> inputs;
      for (const TensorId id : step.inputs) inputs.push_back(made(id));
      std::vector<std::string> names;
      for (const TensorId id : step.outputs()) {
        names.push_back(format("{}.again", {graph_.tensor(id).name}));
      }
      again_.push_back(graph_.steps().size());
      TensorId again = graph_.add_step(format("{}.again", {step.name}), "backward", step.op, inputs,
                                       names, -1, made(step.gradient_of));
      for (const TensorId id : step.outputs()) made_[static_cast<size_t>(id)] = again++;
    }
  }

  /// Removes what was run again but is not read.
  void remove_unread() {
    const std::vector<Step>& steps = graph_.steps();
    Flags read(graph_.tensors().size(), false), unneeded(steps.size(), false);
    for (size_t i = steps.size(); i-- > 0;) {
      const bool again = std::binary_search(again_.begin(), again_.end(), i);
      unneeded[i] = again && std::ranges::none_of(steps[i].outputs(), [&](TensorId id) {
                      return read[static_cast<size_t>(id)];
                    });
      if (unneeded[i]) continue;
      for (const TensorId id : steps[i].inputs) read[static_cast<size_t>(id)] = true;
    }
    if (!again_.empty()) graph_.remove_steps(unneeded);
  }

  /// Adds the steps behind a step. `needs`: by tensor, whether its gradient is asked for.
  void pass(const Step& step, const Flags& needs) {
    std::vector<TensorId> gradients;  // by its outputs
    for (const TensorId id : step.outputs()) {
      gradients.push_back(gradients_[static_cast<size_t>(id)]);
    }
    const bool any = std::ranges::any_of(gradients, [](TensorId id) { return id != kNoTensor; });
    if (!any || step.op->is_constant()) return;
    Flags asked;
    for (const TensorId input : step.inputs) asked.push_back(needs[static_cast<size_t>(input)]);
    if (std::none_of(asked.begin(), asked.end(), [](bool one) { return one; })) return;
    Step seen = step;
    for (TensorId& id : seen.inputs) id = made(id);
    seen.output = made(step.output);
    GradientBuilder builder(graph_, seen, std::move(gradients), asked);
    step.op->gradients(builder);
    // A bias first, as PyTorch does: with it its gradient so far is let go.
    for (size_t i = step.inputs.size(); i-- > 0;) {
      if (builder.given()[i] != kNoTensor) collect(step.inputs[i], builder.given()[i]);
    }
  }

  /// The gradient by a tensor. Of a parameter or an input steps may also have read views.
  TensorId whole(TensorId tensor) {
    std::vector<TensorId> views;
    for (size_t id = 0; id < gradients_.size(); ++id) {
      const Tensor& view = graph_.tensors()[id];
      const bool read = gradients_[id] != kNoTensor && view.role != Role::kActivation;
      if (read && view.storage == tensor && static_cast<TensorId>(id) != tensor) {
        views.push_back(static_cast<TensorId>(id));
      }
    }
    if (!views.empty()) collect(tensor, joined(tensor, views));
    return gradients_[static_cast<size_t>(tensor)];
  }

 private:
  TensorId add(TensorId of, const char* what, const OpPtr& op, Ids inputs) {
    const std::string name =
        format("{}.grad.{}.{}", {graph_.name_of(of), what, graph_.steps().size()});
    return graph_.add_step(name, "backward", op, inputs, name);
  }

  /// The gradient with this shape, where positions that are queries in one are keys in the other.
  TensorId renamed(TensorId tensor, TensorId gradient, const Shape& shape) {
    if (fit(shape, graph_.tensor(gradient).shape)) return gradient;
    return add(tensor, "renamed", make_op<Reshape>(shape), {gradient});
  }

  TensorId added(TensorId tensor, TensorId a, TensorId b) {
    return add(tensor, "sum", shared_op<Add>(), {a, renamed(tensor, b, graph_.tensor(a).shape)});
  }

  /// The gradients by views, put where the views are in `tensor`; zeros where there is none.
  TensorId joined(TensorId tensor, const std::vector<TensorId>& views) {
    const Shape shape = graph_.tensor(tensor).shape;
    const auto row = static_cast<int64_t>(elements(shape)) / shape[0];
    const auto first_row = [&](TensorId view) { return graph_.tensor(view).offset / row; };
    std::vector<TensorId> sorted;
    for (const TensorId view : views) {
      const auto after = std::find_if(sorted.begin(), sorted.end(), [&](TensorId other) {
        return first_row(other) > first_row(view);
      });
      sorted.insert(after, view);
    }
    // Views that overlap are added, those beside each other put together.
    TensorId sum = kNoTensor;
    std::vector<TensorId> beside;
    int64_t begin = 0, end = 0;
    const auto finish = [&] {
      if (beside.empty()) return;
      TensorId part =
          beside.size() == 1 ? beside[0] : add(tensor, "joined", make_op<Concat>(0), beside);
      if (begin > 0 || end < shape[0]) {
        part = add(tensor, "padded", make_op<Pad>(0, begin, shape[0] - end), {part});
      }
      sum = sum == kNoTensor ? part : added(tensor, sum, part);
      beside.clear();
    };
    for (const TensorId view : sorted) {
      Shape rows = shape;
      rows[0].size = static_cast<int64_t>(elements(graph_.tensor(view).shape)) / row;
      TensorId part = gradients_[static_cast<size_t>(view)];
      if (graph_.tensor(view).shape.size() != shape.size()) {
        part = add(view, "rows", make_op<Reshape>(rows), {part});
      }
      if (beside.empty() || first_row(view) != end) {
        finish();
        begin = first_row(view);
      }
      end = first_row(view) + rows[0];
      beside.push_back(part);
    }
    finish();
    return sum;
  }

  /// The tensor itself, or what it is when it is made again; kNoTensor stays.
  TensorId made(TensorId id) const { return id == kNoTensor ? id : made_[static_cast<size_t>(id)]; }

  Graph& graph_;
  std::vector<TensorId> gradients_, made_;  // by tensor of the forward pass
  std::vector<size_t> again_;               // places of the steps that were run again
};

}  // namespace

std::vector<TensorId> add_gradients(Graph& graph, std::span<const Seed> seeds,
                                    std::span<const TensorId> wanted,
                                    std::span<const Iteration> run_again) {
  // Forwards: what depends on a wanted tensor needs a gradient.
  Flags needs(graph.tensors().size(), false);
  for (const TensorId id : wanted) needs[static_cast<size_t>(id)] = true;
  for (size_t id = 0; id < needs.size(); ++id) {
    const Tensor& tensor = graph.tensors()[id];
    if (tensor.role == Role::kActivation) continue;
    needs[id] = needs[static_cast<size_t>(tensor.storage)];  // a part of what is wanted
  }
  const std::vector<Step> steps = graph.steps();  // the forward pass: more are added
  for (const Step& step : steps) {
    const bool depends =
        !step.op->is_constant() && std::ranges::any_of(step.inputs, [&](TensorId id) {
          return needs[static_cast<size_t>(id)];
        });
    for (const TensorId id : step.outputs()) {
      if (depends) needs[static_cast<size_t>(id)] = true;
    }
  }

  Backward backward(graph);
  for (const Seed& seed : seeds) {
    if (needs[static_cast<size_t>(seed.tensor)]) backward.collect(seed.tensor, seed.gradient);
  }
  auto next = run_again.rbegin();
  for (size_t i = steps.size(); i-- > 0;) {
    if (next != run_again.rend() && i + 1 == next->end) {
      backward.run_again(std::span(steps).subspan(next->begin, next->end - next->begin));
      ++next;
    }
    backward.pass(steps[i], needs);
  }
  std::vector<TensorId> gradients;
  for (const TensorId id : wanted) gradients.push_back(backward.whole(id));
  backward.remove_unread();
  return gradients;
}

namespace {

/// Parameters, and inputs of numbers: these first.
std::vector<TensorId> learned_or_given(const Graph& graph) {
  std::vector<TensorId> all;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role == Role::kInput && tensor.limit == 0) all.push_back(id);
  }
  const std::vector<TensorId> parameters = graph.used_parameters();
  all.insert(all.end(), parameters.begin(), parameters.end());
  return all;
}

/// An input for the gradient by each of the results that `from` names.
std::vector<Seed> add_seeds(Graph& graph, const std::vector<std::string>& from) {
  const std::vector<Result> results = graph.results();
  std::vector<std::string_view> known;
  for (const Result& result : results) known.push_back(result.name);
  std::vector<Seed> seeds;
  for (const std::string& name : from) {
    const auto result = std::find(known.begin(), known.end(), name);
    if (result == known.end()) throw unknown_name("backward", "gradient", name, known);
    const TensorId tensor = results[static_cast<size_t>(result - known.begin())].tensor;
    const Shape shape = graph.tensor(tensor).shape;
    seeds.push_back({tensor, graph.add_input(gradient_name(name), shape)});
  }
  return seeds;
}

}  // namespace

std::string gradient_name(const std::string& name) { return "gradients." + name; }

Graph backward_graph(const Config& config, const std::vector<std::string>& from) {
  return backward_graph(unroll(graph_to_run(config)), from, {});
}

Graph backward_graph(Graph graph, const std::vector<std::string>& from,
                     std::span<const TensorId> tensors) {
  const std::vector<Seed> seeds = add_seeds(graph, from);
  std::vector<TensorId> asked = learned_or_given(graph);
  asked.insert(asked.end(), tensors.begin(), tensors.end());
  const std::vector<TensorId> gradients = add_gradients(graph, seeds, asked);
  graph.set_results({});
  for (size_t i = 0; i < from.size(); ++i) graph.add_result(from[i], seeds[i].tensor);
  for (size_t i = 0; i < asked.size(); ++i) {
    const Tensor& tensor = graph.tensor(asked[i]);
    if (gradients[i] != kNoTensor) {
      graph.add_result(gradient_name(graph.name_of(asked[i])), gradients[i],
                       {.gradient_by = asked[i]});
    } else if (tensor.role == Role::kActivation) {
      refuse("tensors", "tensors must be some by which the given results have a gradient, got {}",
             {tensor.name});
    }
  }
  if (graph.results().size() == from.size()) {
    throw FieldError("gradients",
                     "gradients must be given for a result that depends on a "
                     "parameter or an input of numbers");
  }
  return graph;
}

}  // namespace attnscope
