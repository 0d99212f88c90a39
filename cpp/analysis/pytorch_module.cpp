#include "pytorch_module.h"

#include <algorithm>
#include <optional>
#include <ranges>
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

bool is_carried(const Argument& argument) { return argument.kind == Argument::Kind::kCarried; }

std::string expression(const Graph& graph, TensorId id);

/// An argument of one of a loop's bodies.
struct OfBody {
  const Body* body = nullptr;  // or none
  size_t index = 0;

  const Argument& argument() const { return body->arguments[index]; }
};

/// The first argument to which a result of the bodies is carried, if there is one.
OfBody carried_to(const Loop& loop, int result) {
  for (const Body& body : loop.bodies) {
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      const Argument& one = body.arguments[i];
      if (is_carried(one) && one.result == result) return {&body, i};
    }
  }
  return {};
}

/// What the loop's statements call what is carried there: as what is first given, or as the body's
/// input where that is a parameter, or is given to another one too.
std::string carried_variable(const Graph& graph, const OfBody& to) {
  const TensorId given = to.argument().given;
  const auto times = std::ranges::count_if(to.body->arguments, [&](const Argument& one) {
    return is_carried(one) && one.given == given;
  });
  const bool own = times == 1 && graph.tensor(given).role != Role::kParameter;
  const Graph& inside = *to.body->graph;
  return own ? expression(graph, given) : inside.tensor(inside.inputs()[to.index]).name;
}

/// The argument to which a tensor is carried that a loop makes, if there is one.
OfBody carried(const Graph& graph, TensorId id) {
  for (const Loop& loop : graph.loops()) {
    for (const Loop::Output& output : loop.outputs) {
      if (output.tensor == id && !output.stacked) return carried_to(loop, output.result);
    }
  }
  return {};
}

/// What the loop's statements give for an argument that is no slice.
std::string given_text(const Graph& graph, const Loop& loop, const Argument& argument) {
  return is_carried(argument) ? carried_variable(graph, carried_to(loop, argument.result))
                              : expression(graph, argument.given);
}

/// A tensor as a Python expression. What a loop carries is called as what is given to its first
/// iteration, because the loop assigns both to one variable.
std::string expression(const Graph& graph, TensorId id) {
  if (const OfBody to = carried(graph, id); to.body) return carried_variable(graph, to);
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
  const auto printed = static_cast<std::ptrdiff_t>(step.op->printed_outputs());
  for (const TensorId id : step.outputs() | std::views::take(printed)) {
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

/// The inputs of a body in the order of its forward(): what is carried, what each iteration has of
/// its own, what all share.
std::vector<size_t> order_of(const Body& body) {
  std::vector<size_t> order;
  for (const auto kind :
       {Argument::Kind::kCarried, Argument::Kind::kSlice, Argument::Kind::kInvariant}) {
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      if (body.arguments[i].kind == kind) order.push_back(i);
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

/// What the loop's statements call a result of a body: the variable to which it is carried, what it
/// is behind the loop, or the name that the body has for it.
std::string result_variable(const Graph& graph, const Loop& loop, const Body& body, int result) {
  if (const OfBody to = carried_to(loop, result); to.body) return carried_variable(graph, to);
  const TensorId last = loop.output_of(result, /*stacked=*/false);
  if (last != kNoTensor) return graph.tensor(last).name;
  const TensorId made = body.graph->results()[static_cast<size_t>(result)].tensor;
  return loop.output_of(result, /*stacked=*/true) == kNoTensor ? "_"
                                                               : body.graph->tensor(made).name;
}

/// The statements in a loop that call a body's module and keep what is stacked.
std::string call_of_layer(const Graph& graph, const Loop& loop, const Body& body,
                          const std::string& indent, const std::vector<std::string>& arguments) {
  const std::vector<Result>& made = body.graph->results();
  std::vector<std::string> results;
  for (size_t r = 0; r < made.size(); ++r) {
    results.push_back(result_variable(graph, loop, body, static_cast<int>(r)));
  }
  std::string text =
      format("{}  # {}\n",
             {statement(indent, format("{} = layer({})", {joined(results), joined(arguments)})),
              body.graph->tensor(made.front().tensor).shape});
  for (const Loop::Output& output : loop.outputs) {
    if (!output.stacked) continue;
    text += format("{}{}.append({})\n", {indent, graph.tensor(output.tensor).name,
                                         results[static_cast<size_t>(output.result)]});
  }
  return text;
}

/// What a Python loop goes over to take the slices of an argument.
std::string slices_text(const Graph& graph, const Loop& loop, const Argument& argument) {
  const std::string whole = expression(graph, argument.given);
  if (argument.dimension == 0 && !loop.reverse) return whole;
  const std::string along = argument.dimension == 0 ? "" : std::to_string(argument.dimension);
  return format("{}.unbind({}){}", {whole, along, loop.reverse ? "[::-1]" : ""});
}

/// The loop over iterations of one body.
std::string loop_of_one(const Graph& graph, const Loop& loop) {
  const Body& body = loop.bodies.front();
  const std::vector<TensorId> inputs = body.graph->inputs();
  std::vector<std::string> variables{"layer"}, lists{format("self.{}", {loop.name})};
  std::vector<std::string> arguments;
  for (const size_t i : order_of(body)) {
    const Argument& argument = body.arguments[i];
    const std::string& name = body.graph->tensor(inputs[i]).name;
    const bool slice = argument.kind == Argument::Kind::kSlice;
    if (slice) {
      variables.push_back(name);
      lists.push_back(slices_text(graph, loop, argument));
    }
    arguments.push_back(slice ? name : given_text(graph, loop, argument));
  }
  const std::string over = lists.size() == 1 ? lists[0] : format("zip({})", {joined(lists)});
  return format("{}for {} in {}:\n{}", {kBody, joined(variables), over,
                                        call_of_layer(graph, loop, body, kIndented, arguments)});
}

/// The loop over iterations of several bodies that are given different things.
std::string choosing_loop(const Graph& graph, const Loop& loop) {
  std::string iterating, choices;
  for (const Body& body : loop.bodies) {
    const bool last = &body == &loop.bodies.back();
    std::vector<std::string> arguments, stacks, iterators;
    for (const size_t i : order_of(body)) {
      const Argument& argument = body.arguments[i];
      const std::string text = given_text(graph, loop, argument);
      const bool slice = argument.kind == Argument::Kind::kSlice;
      arguments.push_back(slice ? format("next({})", {text}) : text);
      if (!slice) continue;
      stacks.push_back(text);
      iterators.push_back(format("iter({})", {slices_text(graph, loop, argument)}));
    }
    choices += last ? format("{}else:\n", {kIndented})
                    : format("{}{} isinstance(layer, {}):\n",
                             {kIndented, &body == &loop.bodies.front() ? "if" : "elif",
                              body.graph->parameters().class_name()});
    choices += call_of_layer(graph, loop, body, format("{}    ", {kIndented}), arguments);
    if (stacks.empty()) continue;
    const std::string line = format("{}{} = {}", {kBody, joined(stacks), joined(iterators)});
    if (line.size() <= kWidth) {
      iterating += format("{}\n", {line});
      continue;
    }
    for (size_t i = 0; i < stacks.size(); ++i) {
      iterating += format("{}{} = {}\n", {kBody, stacks[i], iterators[i]});
    }
  }
  return format("{}{}for layer in self.{}:\n{}", {iterating, kBody, loop.name, choices});
}

std::string loop_text(const Graph& graph, const Loop& loop) {
  const Body& first = loop.bodies.front();
  std::string before, behind;
  for (const Argument& one : first.arguments) {
    if (!is_carried(one)) continue;
    const std::string given = expression(graph, one.given), variable = given_text(graph, loop, one);
    if (variable != given) before += format("{}{} = {}\n", {kBody, variable, given});
  }
  for (const Loop::Output& output : loop.outputs) {
    if (!output.stacked) continue;
    const Tensor& whole = graph.tensor(output.tensor);
    before += format("{}{} = []\n", {kBody, whole.name});
    behind += format("{}{} = torch.stack({}{})  # {}\n",
                     {kBody, whole.name, whole.name, loop.reverse ? "[::-1]" : "", whole.shape});
  }
  const bool alike = std::ranges::all_of(
      loop.bodies, [&](const Body& body) { return body.arguments == first.arguments; });
  return format("{}{}{}",
                {before, alike ? loop_of_one(graph, loop) : choosing_loop(graph, loop), behind});
}

Line group_line(const Graph& graph, const Group& group) {
  std::vector<std::string> shapes;
  for (const TensorId id : group.outputs) shapes.push_back(to_string(graph.tensor(id).shape));
  const bool masked = !group.masked_statement.empty();
  return {masked ? group.masked_statement : group.statement, joined(shapes)};
}

/// The body of forward().
std::string statements(const Graph& graph) {
  std::string text;
  std::vector<Line> lines;
  Unpacking unpacking(graph);
  for (size_t s = 0; s < graph.steps().size(); ++s) {
    const Step& step = graph.steps()[s];
    if (const Group* group = graph.group_of(step)) {
      lines.push_back(group_line(graph, *group));
      s = group->end - 1;
      continue;
    }
    unpacking.add_before(step, lines);
    if (const Loop* loop = graph.loop_of(step)) {
      text += aligned(std::exchange(lines, {})) + loop_text(graph, *loop);
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
      const char* kinds = tensor.only_hides ? "boolean (True = keep) or float (0 = keep)"
                                            : "boolean (True = may attend) or float (added)";
      lines.push_back({format("# {}: broadcasts to {}, {}", {tensor.name, shape, kinds}), ""});
    } else {
      const std::string kind =
          tensor.limit > 0 ? format(", integers below {}", {tensor.limit}) : "";
      lines.push_back({format("# {}: {}{}", {tensor.name, shape, kind}), ""});
    }
  }
  return aligned(lines);
}

/// Reads a mask that only hides as hide_by_floats() in run/tensor_gate.h does.
constexpr const char* kPaddingMask = R"(def padding_mask(mask):
    """True = keep. A float mask keeps at 0 and hides at -1e4 and below (-9984 in bfloat16)."""
    if mask is None or mask.dtype == torch.bool:
        return mask
    if not ((mask == 0) | (mask <= -1e4) | (mask == -9984)).all():
        raise ValueError("mask must hold 0 to keep or at most -1e4 to hide")
    return mask == 0
)";

std::vector<std::string> padding_masks(const Graph& graph) {
  std::vector<std::string> names;
  for (const TensorId id : graph.inputs()) {
    if (graph.tensor(id).only_hides) names.push_back(graph.tensor(id).name);
  }
  return names;
}

/// The first statements of forward(): each mask that only hides as booleans.
std::string padding_mask_calls(const Graph& graph) {
  std::string text;
  for (const std::string& name : padding_masks(graph)) {
    text += format("{}{} = padding_mask({})\n", {kBody, name, name});
  }
  return text;
}

std::string layer_class(const Layer& layer, const Graph& graph) {
  std::string text = format("{}{}\n", {class_line(graph), docstring(layer.summary)});
  text += constructor_text(graph.parameters());
  return format("{}{}\n{}{}{}", {text, signature(graph), input_comments(graph),
                                 padding_mask_calls(graph), statements(graph)});
}

/// The classes of bodies, each before the one whose loop calls it.
std::string bodies_text(const Graph& graph) {
  std::string text;
  for (const Loop& loop : graph.loops()) {
    if (!loop.list) continue;  // within a group
    for (const Body& body : loop.bodies) text += bodies_text(*body.graph) + body_class(body);
  }
  return text;
}

}  // namespace

std::string pytorch_expression(const Row& row) {
  std::vector<std::string> inputs;
  for (const TensorId id : row.step.inputs) {
    if (row.graph.tensor(id).role == Role::kOptionalInput) continue;
    const bool renamed = !row.group && carried(row.graph, id).body;
    const bool own = row.graph.tensor(id).role != Role::kParameter && !renamed;
    inputs.push_back(own ? row.name_of(id) : expression(row.graph, id));
  }
  return step_expression(row.graph, row.step, inputs);
}

std::string helpers_text(const Graph& graph) {
  const auto name = [](const std::string& helper) { return helper.substr(0, helper.find('(')); };
  std::vector<std::string> helpers;
  if (!padding_masks(graph).empty()) helpers.emplace_back(kPaddingMask);
  for (const Row& row : rows_of(graph)) {
    if (row.group && row.group->masked_helper.empty()) continue;
    const std::vector<std::string> of_row =
        row.group ? std::vector{row.group->masked_helper}
                  : row.step.op->pytorch_helpers(row.graph.input_shapes(row.step, true));
    for (const std::string& helper : of_row) {
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
