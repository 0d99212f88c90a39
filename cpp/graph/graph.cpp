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

std::string Graph::prefixed(std::string_view name) const { return prefix_ + std::string(name); }

TensorId Graph::add_input(std::string_view name, Shape shape, Role role) {
  return add_tensor({.name = prefixed(name), .shape = std::move(shape), .role = role});
}

TensorId Graph::add_integer_input(std::string_view name, Shape shape, int64_t limit,
                                  std::optional<int64_t> ignored) {
  return add_tensor({.name = prefixed(name),
                     .shape = std::move(shape),
                     .role = Role::kInput,
                     .limit = limit,
                     .ignored = ignored});
}

TensorId Graph::add_padding_mask(std::string_view name, Shape shape) {
  return add_tensor({.name = prefixed(name),
                     .shape = std::move(shape),
                     .role = Role::kOptionalInput,
                     .only_hides = true});
}

std::vector<TensorId> Graph::used_parameters() const {
  std::vector<TensorId> parameters = used_;
  std::erase(parameters, kNoTensor);
  return parameters;
}

TensorId Graph::use(const Weight& weight) {
  const auto index = static_cast<size_t>(weight.parameter);
  if (index >= used_.size()) used_.resize(static_cast<size_t>(parameters_->count()), kNoTensor);
  if (used_[index] == kNoTensor) {
    used_[index] = add_tensor({.shape = parameters_->shape_of(weight.parameter),
                               .role = Role::kParameter,
                               .parameter = weight.parameter});
  }
  const TensorId whole = used_[index];
  if (weight.end == 0) return whole;
  Tensor rows = tensor(whole);
  rows.offset = weight.begin * static_cast<int64_t>(elements(rows.shape) / rows.shape[0]);
  rows.shape[0].size = weight.end - weight.begin;
  return rows_of_parameter(std::move(rows));
}

TensorId Graph::rows_of_parameter(Tensor rows) {
  for (size_t id = static_cast<size_t>(rows.storage) + 1; id < tensors_.size(); ++id) {
    const Tensor& other = tensors_[id];
    const bool same = other.parameter == rows.parameter && other.offset == rows.offset &&
                      other.shape == rows.shape;
    if (same) return static_cast<TensorId>(id);
  }
  return add_tensor(std::move(rows));
}

namespace {

/// Which rows of the whole a tensor has, by their first dimension.
std::pair<int64_t, int64_t> rows_in(const Tensor& rows, const Tensor& whole) {
  const auto row = static_cast<int64_t>(elements(whole.shape) / whole.shape[0]);
  return {rows.offset / row, rows.offset / row + rows.shape[0]};
}

}  // namespace

std::string Graph::name_of(TensorId id) const {
  const Tensor& one = tensor(id);
  if (one.parameter == kNoParameter) return one.name;
  std::string name = flat_ ? parameters_->at(static_cast<size_t>(one.parameter)).first
                           : parameters_->name_of(one.parameter);
  if (one.storage == id) return name;
  const auto [begin, end] = rows_in(one, tensor(one.storage));
  return format("{}[{}:{}]", {name, begin, end});
}

std::string Graph::module_of(const Step& step) const {
  if (step.module < 0) return {};
  return flat_ ? parameters_->module_at(static_cast<size_t>(step.module))
               : parameters_->module_name(step.module);
}

std::string Graph::variable_of(TensorId id) const {
  const Tensor& one = tensor(id);
  if (one.parameter == kNoParameter || one.storage == id) return {};
  const std::vector<std::string>& variables =
      flat_ ? parameters_->variables_at(static_cast<size_t>(one.parameter))
            : parameters_->variables_of(one.parameter);
  if (variables.empty()) return {};
  const auto [begin, end] = rows_in(one, tensor(one.storage));
  return variables[static_cast<size_t>(begin / (end - begin))];
}

TensorId Graph::add_step(std::string_view name, std::string_view part, const OpPtr& op, Ids inputs,
                         OutputNames outputs, int module, TensorId gradient_of) {
  if (outputs.size() != op->outputs()) {
    wrong_graph("{} makes {} tensors, got {} names", {name, op->outputs(), outputs.size()});
  }
  Step step{.name = prefixed(name),
            .part = std::string(part),
            .op = op,
            .inputs = {inputs.begin(), inputs.end()},
            .output = static_cast<TensorId>(tensors_.size()),
            .module = module,
            .gradient_of = gradient_of};
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The shapes of the inputs move with each tensor that is added.
    add_tensor(
        {.name = prefixed(outputs[i]), .shape = op->output_shape(input_shapes(step, true), i)});
  }
  append(std::move(step));
  return steps_.back().output;
}

void Graph::append(Step step) {
  for (const TensorId id : step.outputs()) {
    const TensorId shared = shared_input(step, id, Sharing::kInference);
    if (shared == kNoTensor) continue;
    const Tensor& viewed = tensor(shared);
    Tensor& made = tensors_[static_cast<size_t>(id)];
    made.storage = viewed.storage;
    made.offset = viewed.offset;
  }
  steps_.push_back(std::move(step));
}

void Graph::add_result(std::string_view name, TensorId tensor, ResultOptions options) {
  results_.push_back({std::string(name), tensor, options});
}

void Graph::add_group(Group group) {
  group.end = steps_.size();
  groups_.push_back(std::move(group));
}

const Group* Graph::group_of(const Step& step) const {
  const auto place = static_cast<size_t>(&step - steps_.data());
  const auto group = std::ranges::find_if(
      groups_, [&](const Group& one) { return one.begin <= place && place < one.end; });
  return group == groups_.end() ? nullptr : &*group;
}

void Graph::drop_states() {
  states_.clear();
  advances_.clear();
}

void Graph::remove_steps(const Flags& unneeded) {
  size_t i = 0;
  std::erase_if(steps_, [&](const Step&) { return unneeded[i++]; });
  for (Held& held : held_) {
    const auto end = unneeded.begin() + static_cast<std::ptrdiff_t>(held.until);
    held.until -= static_cast<size_t>(std::count(unneeded.begin(), end, true));
  }
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
  for (Loop& loop : rest.loops_) {
    for (Body& body : loop.bodies) {
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
  for (Group& group : rest.groups_) group.masked_statement = group.masked_helper = {};
  return rest;
}

OpPtr Graph::unmasked(const Step& step) const {
  const bool reads_mask = std::ranges::any_of(
      step.inputs, [&](TensorId id) { return tensor(id).role == Role::kOptionalInput; });
  return step.op && reads_mask ? step.op->unmasked() : nullptr;
}

bool Graph::differs_without_masks() const {
  return std::ranges::any_of(steps_, [&](const Step& step) { return unmasked(step) != nullptr; }) ||
         std::ranges::any_of(loops_, [](const Loop& loop) {
           return std::ranges::any_of(
               loop.bodies, [](const Body& body) { return body.graph->differs_without_masks(); });
         });
}

void Graph::leave_out_masks() {
  if (!differs_without_masks()) return;
  without_masks_ = true;
  for (Step& step : steps_) {
    OpPtr op = unmasked(step);
    if (!op) continue;
    step.op = std::move(op);
    step.inputs.resize(1);
  }
  for (Loop& loop : loops_) {
    for (Body& body : loop.bodies) {
      Graph graph = *body.graph;
      graph.leave_out_masks();
      body.graph = std::make_shared<const Graph>(std::move(graph));
    }
  }
}

bool Graph::is_cached(TensorId input) const {
  for (const StateUse& state : states_) {
    if (state.rule != StateUse::Rule::kAppended || state.before == kNoTensor) continue;
    if (tensor(state.before).storage == input) return true;
  }
  for (const Loop& loop : loops_) {
    for (const Body& body : loop.bodies) {
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
