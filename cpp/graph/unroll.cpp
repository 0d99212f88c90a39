#include "unroll.h"

#include <string>
#include <utility>

namespace attnscope {
namespace {

/// A graph that is copied into the unrolled one: the layer's own, or a repetition of a body.
struct Copied {
  const Graph& graph;
  std::string prefix{};  // of all names: "encoder.layer.3."
  FlatNumbers begin{};   // of its parameters and modules, the first flat numbers
  std::vector<TensorId> ids{};
  std::vector<std::vector<Copied>> calls{};  // of each call its repetitions

  TensorId at(TensorId id) const { return ids[static_cast<size_t>(id)]; }
};

}  // namespace

class Inliner {
 public:
  explicit Inliner(bool training, bool masked = false) : training_(training), masked_(masked) {}

  Graph run(const Graph& graph) {
    to_ = Graph(graph.parameters_);
    to_.flat_ = true;
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

  std::vector<Repetition>& repetitions() { return repetitions_; }

 private:
  /// All but a body's inputs, which its caller gives, and what calls make.
  Copied copy_tensors(const Graph& graph, std::string prefix, const FlatNumbers& begin) {
    const bool whole = prefix.empty();
    Copied copied{graph, std::move(prefix), begin, std::vector(graph.tensors().size(), kNoTensor)};
    std::vector<bool> elsewhere(graph.tensors().size(), false);
    if (!whole) {
      for (const TensorId id : graph.inputs()) elsewhere[static_cast<size_t>(id)] = true;
    }
    for (const Call& call : graph.calls()) {
      for (const TensorId id : call.outputs) elsewhere[static_cast<size_t>(id)] = true;
    }
    for (const Tensor& tensor : graph.tensors()) {
      const size_t id = static_cast<size_t>(&tensor - graph.tensors().data());
      if (elsewhere[id]) continue;
      copied.ids[id] = tensor.role == Role::kParameter ? copy_parameter(copied, tensor, id)
                                                       : copy_tensor(copied, tensor);
    }
    for (const Call& call : graph.calls()) {
      std::vector<Copied>& repetitions = copied.calls.emplace_back();
      for (size_t i = 0; i < call.list->order.size(); ++i) {
        const FlatNumbers inside = graph.parameters().begin_of({call.member, static_cast<int>(i)});
        repetitions.push_back(copy_tensors(
            *call.body_of(i).graph, format("{}{}.{}.", {copied.prefix, call.list->name, i}),
            {begin.parameters + inside.parameters, begin.modules + inside.modules}));
      }
    }
    return copied;
  }

  TensorId copy_tensor(const Copied& copied, const Tensor& tensor) {
    Tensor copy = tensor;
    copy.name = copied.prefix + tensor.name;
    copy.storage = kNoTensor;
    return to_.add_tensor(std::move(copy));
  }

  TensorId copy_parameter(const Copied& copied, const Tensor& tensor, size_t id) {
    Tensor copy = tensor;
    const size_t flat = copied.graph.flat_ ? static_cast<size_t>(tensor.parameter)
                                           : copied.graph.parameters().flat(tensor.parameter);
    copy.parameter = static_cast<ParameterId>(copied.begin.parameters + flat);
    const bool rows = tensor.storage != static_cast<TensorId>(id);
    copy.storage = rows ? copied.at(tensor.storage) : kNoTensor;
    const size_t place = static_cast<size_t>(copy.parameter);
    const TensorId made = to_.add_tensor(std::move(copy));
    if (!rows) to_.used_[place] = made;
    return made;
  }

  static int flat_module(const Copied& copied, int module) {
    if (copied.graph.flat_) return module;
    return static_cast<int>(copied.begin.modules + copied.graph.parameters().flat_module(module));
  }

  void copy_steps(Copied& copied) {
    for (const Step& step : copied.graph.steps()) {
      if (step.call != kNoCall) {
        copy_call(copied, step.call);
        continue;
      }
      Step copy = step;
      copy.name = copied.prefix + step.name;
      for (TensorId& id : copy.inputs) id = copied.at(id);
      copy.output = copied.at(step.output);
      if (step.gradient_of != kNoTensor) copy.gradient_of = copied.at(step.gradient_of);
      if (step.module >= 0) copy.module = flat_module(copied, step.module);
      if (const OpPtr other = training_ ? step.op->in_training() : nullptr) {
        copy.op = other;
        const Tensor first = to_.tensor(copy.output);
        copy.inputs.push_back(to_.add_input(first.name + ".noise", first.shape, Role::kState));
      }
      if (const OpPtr masking = masked_ ? copy.op->masking() : nullptr) {
        const std::string name = copied.prefix + masked_name(copied.graph, step);
        to_.add_step(name, copy.part, masking, copy.inputs, name);
      }
      to_.append(std::move(copy));
    }
    for (Cache cache : copied.graph.caches()) {
      if (cache.past != kNoTensor) cache.past = copied.at(cache.past);
      cache.present = copied.at(cache.present);
      to_.add_cache(cache);
    }
  }

  void copy_call(Copied& copied, int index) {
    const Call& call = copied.graph.calls()[static_cast<size_t>(index)];
    std::vector<int64_t> seen(call.bodies.size(), 0);  // repetitions of each body
    TensorId carried = kNoTensor;
    for (size_t i = 0; i < call.list->order.size(); ++i) {
      const size_t kind = static_cast<size_t>(call.list->order[i]);
      Copied& repetition = copied.calls[static_cast<size_t>(index)][i];
      give_inputs(copied, call.bodies[kind], seen[kind]++, repetition);
      const Graph& body = repetition.graph;
      if (i > 0) repetition.ids[static_cast<size_t>(body.inputs().front())] = carried;
      const size_t begin = to_.steps_.size();
      copy_steps(repetition);
      repetitions_.push_back({begin, to_.steps_.size()});
      carried = repetition.at(body.results().front().tensor);
    }
    const Copied& last = copied.calls[static_cast<size_t>(index)].back();
    for (size_t r = 0; r < call.outputs.size(); ++r) {
      copied.ids[static_cast<size_t>(call.outputs[r])] = last.at(last.graph.results()[r].tensor);
    }
  }

  /// `part`: which part of a stacked input is that of this repetition.
  void give_inputs(const Copied& caller, const Body& body, int64_t part, Copied& repetition) {
    const std::vector<TensorId> inputs = body.graph->inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorId given = caller.at(body.arguments[i].given);
      TensorId& id = repetition.ids[static_cast<size_t>(inputs[i])];
      id = given;
      if (!body.arguments[i].repeated) continue;
      const Tensor& formal = body.graph->tensor(inputs[i]);
      id = to_.add_tensor({.name = repetition.prefix + formal.name,
                           .shape = formal.shape,
                           .role = to_.tensor(given).role,
                           .storage = to_.tensor(given).storage,
                           .offset = to_.tensor(given).offset +
                                     part * static_cast<int64_t>(elements(formal.shape))});
    }
  }

  const bool training_, masked_;
  Graph to_;
  std::vector<Repetition> repetitions_;
};

Graph unroll(const Graph& graph, bool masked) { return Inliner(false, masked).run(graph); }

std::string masked_name(const Graph& graph, const Step& step) {
  return format("masked_{}", {graph.tensor(step.inputs[0]).name});
}

UnrolledForTraining unroll_for_training(const Graph& graph) {
  Inliner inliner(true);
  Graph unrolled = inliner.run(graph);
  return {std::move(unrolled), std::move(inliner.repetitions())};
}

}  // namespace attnscope
