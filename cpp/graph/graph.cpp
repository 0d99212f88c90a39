#include "graph.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage.h"

namespace attnscope {

TensorId Graph::add_tensor(Tensor tensor) {
  const TensorId id = static_cast<TensorId>(tensors_.size());
  if (tensor.storage == kNoTensor) tensor.storage = id;
  tensors_.push_back(std::move(tensor));
  return id;
}

TensorId Graph::add_input(std::string_view name, Shape shape, Role role) {
  return add_tensor({.name = std::string(name), .shape = std::move(shape), .role = role});
}

TensorId Graph::add_integer_input(std::string_view name, Shape shape, int64_t limit,
                                  std::optional<int64_t> ignored) {
  return add_tensor({.name = std::string(name),
                     .shape = std::move(shape),
                     .role = Role::kInput,
                     .limit = limit,
                     .ignored = ignored});
}

int Graph::add_module(std::string_view name, std::string_view constructor) {
  modules_.push_back({std::string(name), std::string(constructor), {}});
  return static_cast<int>(modules_.size()) - 1;
}

TensorId Graph::add_parameter(int module, std::string_view name, Shape shape) {
  Module& owner = modules_[static_cast<size_t>(module)];
  const TensorId id =
      add_tensor({.name = format("{}{}{}", {owner.name, owner.name.empty() ? "" : ".", name}),
                  .shape = std::move(shape),
                  .role = Role::kParameter});
  owner.parameters.push_back(id);
  return id;
}

TensorId Graph::add_parameter(int module, std::string_view name, Shape shape, Init init) {
  const TensorId id = add_parameter(module, name, std::move(shape));
  draw(id, init);
  return id;
}

TensorId Graph::add_rows(TensorId parameter, int64_t begin, int64_t end) {
  const Tensor& whole = tensor(parameter);
  Tensor rows = whole;
  rows.name += format("[{}:{}]", {begin, end});
  rows.shape[0].size = end - begin;
  rows.storage = parameter;
  rows.offset = begin * static_cast<int64_t>(elements(whole.shape) / whole.shape[0]);
  return add_tensor(std::move(rows));
}

std::vector<TensorId> Graph::add_parts(TensorId parameter,
                                       const std::vector<std::string>& variables) {
  const int64_t length = tensor(parameter).shape[0] / static_cast<int64_t>(variables.size());
  std::vector<TensorId> parts;
  for (const std::string& variable : variables) {
    const int64_t begin = static_cast<int64_t>(parts.size()) * length;
    parts.push_back(add_rows(parameter, begin, begin + length));
    tensors_.back().variable = variable;
  }
  return parts;
}

void Graph::inherit(std::string_view base, std::string_view arguments) {
  base_ = base;
  base_arguments_ = arguments;
}

TensorId Graph::add_step(std::string_view name, std::string_view part, const OpPtr& op, Ids inputs,
                         std::string_view output, int module, TensorId gradient_of) {
  Step step{.name = std::string(name),
            .part = std::string(part),
            .op = op,
            .inputs = {inputs.begin(), inputs.end()},
            .module = module,
            .gradient_of = gradient_of};
  step.output = add_tensor(
      {.name = std::string(output), .shape = step.op->output_shape(input_shapes(step, true))});
  append(std::move(step));
  return steps_.back().output;
}

void Graph::append(Step step) {
  if (shares_memory(*step.op, Sharing::kInference)) {
    const Tensor& viewed = tensor(step.inputs[0]);
    Tensor& made = tensors_[static_cast<size_t>(step.output)];
    made.storage = viewed.storage;
    made.offset = viewed.offset;
  }
  steps_.push_back(std::move(step));
}

void Graph::add_result(std::string_view name, TensorId tensor, ResultOptions options) {
  results_.push_back({std::string(name), tensor, options});
}

int64_t Call::times(size_t body) const {
  return std::count(order.begin(), order.end(), static_cast<int>(body));
}

void Graph::remove_steps(const std::vector<bool>& unneeded) {
  size_t i = 0;
  std::erase_if(steps_, [&](const Step&) { return unneeded[i++]; });
}

void Graph::add_call(Call call) {
  const int index = static_cast<int>(calls_.size());
  Step step{.name = call.name, .call = index};
  for (const Body& body : call.bodies) {
    const Graph& graph = *body.graph;
    const std::vector<TensorId> formal = graph.inputs();
    if (body.arguments.size() != formal.size()) {
      wrong_graph("{} takes {} inputs, got {}",
                  {body.class_name, formal.size(), body.arguments.size()});
    }
    const Shape& carried = graph.tensor(graph.results().front().tensor).shape;
    if (carried != graph.tensor(formal.front()).shape) {
      wrong_graph("{} makes {} of {}",
                  {body.class_name, carried, graph.tensor(formal.front()).shape});
    }
    for (size_t i = 0; i < formal.size(); ++i) {
      Shape taken = graph.tensor(formal[i]).shape;
      const auto [given, repeated] = body.arguments[i];
      if (repeated) {
        taken.insert(taken.begin(), call.times(static_cast<size_t>(&body - call.bodies.data())));
      }
      for (size_t other = 0; other < i; ++other) {
        if (tensor(body.arguments[other].given).storage != tensor(given).storage) continue;
        wrong_graph("{} is given {} twice", {body.class_name, tensor(given).name});
      }
      if (tensor(given).shape != taken) {
        wrong_graph("{} takes {} as {}, got {}",
                    {body.class_name, taken, graph.tensor(formal[i]).name, tensor(given).shape});
      }
      if (std::find(step.inputs.begin(), step.inputs.end(), given) == step.inputs.end()) {
        step.inputs.push_back(given);
      }
    }
  }
  const Graph& last = *call.last_body().graph;
  const std::string prefix = call.bodies.size() == 1 ? call.bodies[0].prefix : "";
  for (const Result& result : last.results()) {
    const Tensor& made = last.tensor(result.tensor);
    if (made.role != Role::kActivation || made.storage != result.tensor) {
      wrong_graph("{} returns {}, which is a view", {call.name, made.name});
    }
    call.outputs.push_back(add_tensor({.name = prefix + made.name, .shape = made.shape}));
  }
  step.output = call.outputs.front();
  modules_.push_back({.name = call.name, .call = index});
  draws_.push_back({kNoTensor, {}, index});
  steps_.push_back(std::move(step));
  calls_.push_back(std::move(call));
}

std::vector<TensorId> Graph::inputs() const {
  std::vector<TensorId> inputs;
  for (size_t index = 0; index < tensors_.size(); ++index) {
    const TensorId id = static_cast<TensorId>(index);
    const Role role = tensors_[index].role;
    const bool given = role == Role::kInput || role == Role::kOptionalInput;
    if (given && tensors_[index].storage == id) inputs.push_back(id);
  }
  return inputs;
}

Graph Graph::without_optional_inputs() const {
  const auto is_optional = [](const Graph& graph, TensorId id) {
    return id != kNoTensor && graph.tensor(id).role == Role::kOptionalInput;
  };
  Graph rest = *this;
  for (Step& step : rest.steps_) {
    std::erase_if(step.inputs, [&](TensorId id) { return is_optional(*this, id); });
  }
  for (Call& call : rest.calls_) {
    for (Body& body : call.bodies) {
      const std::vector<TensorId> inputs = body.graph->inputs();
      std::vector<Argument> arguments;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!is_optional(*body.graph, inputs[i])) arguments.push_back(body.arguments[i]);
      }
      body.arguments = std::move(arguments);
      body.graph = std::make_shared<const Graph>(body.graph->without_optional_inputs());
    }
  }
  for (Tensor& tensor : rest.tensors_) {
    if (tensor.role == Role::kOptionalInput)
      tensor.role = Role::kActivation;  // which nothing makes
  }
  return rest;
}

bool Graph::is_cached(TensorId input) const {
  for (const Cache& cache : caches_) {
    if (cache.past != kNoTensor && tensor(cache.past).storage == input) return true;
  }
  for (const Call& call : calls_) {
    for (const Body& body : call.bodies) {
      const std::vector<TensorId> formal = body.graph->inputs();
      for (size_t i = 0; i < formal.size(); ++i) {
        if (body.arguments[i].given == input && body.graph->is_cached(formal[i])) return true;
      }
    }
  }
  return false;
}

InputShapes Graph::input_shapes(const Step& step, bool with_optional) const {
  InputShapes shapes;
  shapes.reserve(step.inputs.size());
  for (const TensorId id : step.inputs) {
    const Tensor& input = tensor(id);
    const bool present = with_optional || input.role != Role::kOptionalInput;
    shapes.push_back(present ? &input.shape : nullptr);
  }
  return shapes;
}

}  // namespace attnscope
