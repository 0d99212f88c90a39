#include "pytorch_module.h"

#include <algorithm>
#include <utility>

#include "pytorch_constructor.h"
#include "pytorch_text.h"

namespace attnscope {
namespace {

/// Appends what is not in the list yet, and tells whether it was not.
template <class T>
bool add_once(std::vector<T>& list, const T& one) {
  if (std::find(list.begin(), list.end(), one) != list.end()) return false;
  list.push_back(one);
  return true;
}

bool is_carried(const Graph& graph, TensorId id) {
  return std::any_of(graph.calls().begin(), graph.calls().end(),
                     [id](const Call& call) { return call.outputs.front() == id; });
}

/// A tensor as a Python expression. What a call carries is called as what it was given, because a
/// loop assigns both to one variable.
std::string expression(const Graph& graph, TensorId id) {
  for (const Call& call : graph.calls()) {
    if (id != call.outputs.front()) continue;
    return expression(graph, call.bodies.front().arguments.front().given);
  }
  const Tensor& tensor = graph.tensor(id);
  if (tensor.role != Role::kParameter) return tensor.name;
  std::string variable = graph.variable_of(id);
  return variable.empty() ? format("self.{}", {graph.name_of(id)}) : variable;
}

/// `inputs`: Python expressions.
std::string step_expression(const Graph& graph, const Step& step,
                            const std::vector<std::string>& inputs) {
  const std::string module = step.module < 0 ? "" : format("self.{}", {graph.module_of(step)});
  return step.op->pytorch(inputs, module);
}

Line step_line(const Graph& graph, const Step& step) {
  std::vector<std::string> outputs, shapes, inputs;
  for (const TensorId id : step.outputs()) {
    outputs.push_back(graph.tensor(id).name);
    shapes.push_back(to_string(graph.tensor(id).shape));
  }
  for (const TensorId id : step.inputs) inputs.push_back(expression(graph, id));
  return {format("{} = {}", {joined(outputs), step_expression(graph, step, inputs)}),
          joined(shapes)};
}

/// The statements that unpack parameters, each before the first step that takes a part.
class Unpacking {
 public:
  explicit Unpacking(const Graph& graph) : graph_(graph) {}

  void add_before(const Step& step, std::vector<Line>& lines) {
    for (const TensorId id : step.inputs) {
      const Tensor& part = graph_.tensor(id);
      if (graph_.variable_of(id).empty() || !add_once(unpacked_, part.storage)) continue;
      const std::vector<std::string>& names = graph_.parameters().variables_of(part.parameter);
      lines.push_back({format("{} = self.{}.chunk({})",
                              {joined(names), graph_.name_of(part.storage), names.size()}),
                       format("{} each", {part.shape})});
    }
  }

 private:
  const Graph& graph_;
  std::vector<TensorId> unpacked_;
};

std::string statements(const Graph& graph);

/// The inputs of a body in the order of its forward(): what is carried, what each repetition has of
/// its own, what all share.
std::vector<size_t> order_of(const Body& body) {
  std::vector<size_t> order{0};
  for (const bool repeated : {true, false}) {
    for (size_t i = 1; i < body.arguments.size(); ++i) {
      if (body.arguments[i].repeated == repeated) order.push_back(i);
    }
  }
  return order;
}

/// The names of a body's inputs, in that order.
std::vector<std::string> input_names(const Body& body) {
  const std::vector<TensorId> inputs = body.graph->inputs();
  std::vector<std::string> names;
  for (const size_t i : order_of(body)) names.push_back(body.graph->tensor(inputs[i]).name);
  return names;
}

/// "class Encoder(nn.Module):", the class of a graph.
std::string class_line(const Graph& graph) {
  const Parameters& parameters = graph.parameters();
  const std::string& base = parameters.base();
  return format("class {}({}):\n", {parameters.class_name(), base.empty() ? "nn.Module" : base});
}

std::string body_class(const Body& body) {
  std::string text = class_line(*body.graph) + constructor_text(body.graph->parameters());
  text += statement("    ", format("def forward(self, {}):", {joined(input_names(body))}));
  return format("{}\n{}\n\n", {text, statements(*body.graph)});
}

/// The statement in a loop that calls a body's module.
std::string call_of_layer(const Graph& graph, const Call& call, const std::string& indent,
                          const std::vector<std::string>& arguments) {
  std::vector<std::string> results;
  for (const TensorId id : call.outputs) results.push_back(expression(graph, id));
  return format("{}  # {}\n",
                {statement(indent, format("{} = layer({})", {joined(results), joined(arguments)})),
                 graph.tensor(call.outputs.front()).shape});
}

/// The loop over repetitions of one body.
std::string loop_text(const Graph& graph, const Call& call) {
  const Body& body = call.bodies.front();
  const std::vector<TensorId> inputs = body.graph->inputs();
  std::vector<std::string> variables{"layer"}, lists{format("self.{}", {call.list->name})};
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!body.arguments[i].repeated) continue;
    variables.push_back(body.graph->tensor(inputs[i]).name);
    lists.push_back(graph.tensor(body.arguments[i].given).name);
  }
  const std::string over = lists.size() == 1 ? lists[0] : format("zip({})", {joined(lists)});
  std::vector<std::string> arguments = input_names(body);
  const std::vector<size_t> order = order_of(body);
  for (size_t at = 0; at < order.size(); ++at) {
    const Argument& argument = body.arguments[order[at]];
    if (!argument.repeated) arguments[at] = expression(graph, argument.given);
  }
  return format("{}for {} in {}:\n{}",
                {kBody, joined(variables), over, call_of_layer(graph, call, kIndented, arguments)});
}

/// The loop over repetitions of several bodies that are given different things.
std::string choosing_loop_text(const Graph& graph, const Call& call) {
  std::string iterating, choices;
  for (const Body& body : call.bodies) {
    const bool last = &body == &call.bodies.back();
    std::vector<std::string> arguments, stacks, iterators;
    for (const size_t i : order_of(body)) {
      const auto [given, repeated] = body.arguments[i];
      const std::string text = expression(graph, given);
      arguments.push_back(repeated ? format("next({})", {text}) : text);
      if (!repeated) continue;
      stacks.push_back(text);
      iterators.push_back(format("iter({})", {text}));
    }
    choices += last ? format("{}else:\n", {kIndented})
                    : format("{}{} isinstance(layer, {}):\n",
                             {kIndented, &body == &call.bodies.front() ? "if" : "elif",
                              body.graph->parameters().class_name()});
    choices += call_of_layer(graph, call, format("{}    ", {kIndented}), arguments);
    if (!stacks.empty()) {
      iterating += format("{}{} = {}\n", {kBody, joined(stacks), joined(iterators)});
    }
  }
  return format("{}{}for layer in self.{}:\n{}", {iterating, kBody, call.list->name, choices});
}

std::string call_text(const Graph& graph, const Call& call) {
  const auto given = [](const Body& body) {
    std::vector<std::pair<TensorId, bool>> given;
    for (const Argument& one : body.arguments) given.emplace_back(one.given, one.repeated);
    return given;
  };
  const bool alike = std::all_of(call.bodies.begin(), call.bodies.end(), [&](const Body& body) {
    return given(body) == given(call.bodies.front());
  });
  return alike ? loop_text(graph, call) : choosing_loop_text(graph, call);
}

/// The body of forward().
std::string statements(const Graph& graph) {
  std::string text;
  std::vector<Line> lines;
  Unpacking unpacking(graph);
  for (const Step& step : graph.steps()) {
    unpacking.add_before(step, lines);
    if (const Call* call = graph.call_of(step)) {
      text += aligned(std::exchange(lines, {})) + call_text(graph, *call);
    } else {
      lines.push_back(step_line(graph, step));
    }
  }
  std::vector<std::string> results;
  for (const Result& result : graph.results()) results.push_back(expression(graph, result.tensor));
  return format("{}{}{}return {}\n", {text, aligned(lines), kBody, joined(results)});
}

std::string signature(const Graph& graph) {
  std::string required, optional;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role == Role::kInput) required += format(", {}", {tensor.name});
    if (tensor.role == Role::kOptionalInput) optional += format(", {}=None", {tensor.name});
  }
  return statement("    ", format("def forward(self{}{}):", {required, optional}));
}

std::string input_comments(const Graph& graph) {
  std::vector<Line> lines;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    const std::string shape = to_string(tensor.shape);
    if (tensor.role == Role::kOptionalInput) {
      lines.push_back(
          {format("# {}: broadcasts to {}, boolean (True = may attend) or float (added)",
                  {tensor.name, shape}),
           ""});
    } else {
      const std::string kind =
          tensor.limit > 0 ? format(", integers below {}", {tensor.limit}) : "";
      lines.push_back({format("# {}: {}{}", {tensor.name, shape, kind}), ""});
    }
  }
  return aligned(lines);
}

std::string layer_class(const Layer& layer, const Graph& graph) {
  std::string text = format("{}{}\n", {class_line(graph), docstring(layer.summary)});
  text += constructor_text(graph.parameters());
  return format("{}{}\n{}{}", {text, signature(graph), input_comments(graph), statements(graph)});
}

/// The classes of bodies, each before what calls it.
std::string bodies_text(const Graph& graph) {
  std::string text;
  for (const Call& call : graph.calls()) {
    for (const Body& body : call.bodies) text += bodies_text(*body.graph) + body_class(body);
  }
  return text;
}

}  // namespace

std::string pytorch_expression(const Row& row) {
  std::vector<std::string> inputs;
  for (const TensorId id : row.step.inputs) {
    if (row.graph.tensor(id).role == Role::kOptionalInput) continue;
    const bool own = row.graph.tensor(id).role != Role::kParameter && !is_carried(row.graph, id);
    inputs.push_back(own ? row.name_of(id) : expression(row.graph, id));
  }
  return step_expression(row.graph, row.step, inputs);
}

std::string helpers_text(const Graph& graph) {
  const auto name = [](const std::string& helper) { return helper.substr(0, helper.find('(')); };
  std::vector<std::string> helpers;
  for (const Row& row : rows_of(graph)) {
    const InputShapes shapes = row.graph.input_shapes(row.step, true);
    for (const std::string& helper : row.step.op->pytorch_helpers(shapes)) {
      const auto same = std::find_if(helpers.begin(), helpers.end(), [&](const std::string& other) {
        return name(other) == name(helper);
      });
      if (same == helpers.end()) {
        helpers.push_back(helper);
      } else if (same->size() < helper.size()) {
        *same = helper;
      }
    }
  }
  std::string text;
  for (const std::string& helper : helpers) text += format("{}\n\n", {helper});
  return text;
}

std::string classes_text(const Layer& layer, const Graph& graph) {
  return bodies_text(graph) + layer_class(layer, graph);
}

}  // namespace attnscope
