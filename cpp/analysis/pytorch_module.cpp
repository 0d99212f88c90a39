#include "pytorch_module.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

constexpr const char* kBody = "        ";  // the indentation of a method's statements
constexpr const char* kIndented = "            ";
constexpr size_t kWidth = 100;  // columns of code, comments left out

/// Appends what is not in the list yet, and tells whether it was not.
template <class T>
bool add_once(std::vector<T>& list, const T& one) {
  if (std::find(list.begin(), list.end(), one) != list.end()) return false;
  list.push_back(one);
  return true;
}

std::string joined(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

/// Where the bracket opens that the last one of `code` closes; npos where there is none.
size_t last_bracket(const std::string& code) {
  int depth = 0;
  for (size_t i = code.size(); i-- > 0;) {
    if (code[i] == ')') ++depth;
    if (code[i] == '(' && --depth == 0) return i;
  }
  return std::string::npos;
}

/// The parts between commas that stand in no bracket.
std::vector<std::string> arguments_in(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char next = i < text.size() ? text[i] : ',';
    if (next == '(' || next == '[') ++depth;
    if (next == ')' || next == ']') --depth;
    if (next != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 2;
  }
  return parts;
}

/// One statement without its line's end. What is wider than a line has the arguments of its last
/// call on a line of their own, or each on one; where that is not enough, all that is assigned.
std::string statement(const std::string& indent, const std::string& code) {
  const size_t open = last_bracket(code);
  if (indent.size() + code.size() <= kWidth || open == std::string::npos) return indent + code;
  const std::string deeper = indent + "    ";
  if (const size_t assigned = code.find(" = ") + 3; indent.size() + open >= kWidth) {
    return format("{}{}(\n{}{}\n{})",
                  {indent, code.substr(0, assigned), deeper, code.substr(assigned), indent});
  }
  const size_t close = code.rfind(')');
  std::string inner = code.substr(open + 1, close - open - 1);
  const std::vector<std::string> parts = arguments_in(inner);
  if (const size_t loop = inner.find(" for ");
      parts.size() == 1 && loop != std::string::npos && deeper.size() + inner.size() > kWidth) {
    inner.replace(loop, 1, format("\n{}", {deeper}));
  }
  const bool fits = deeper.size() + inner.size() <= kWidth || parts.size() == 1;
  return format("{}{}\n{}{}{}\n{}{}",
                {indent, code.substr(0, open + 1), deeper,
                 fits ? inner : joined(parts, format(",\n{}", {deeper}).c_str()), fits ? "" : ",",
                 indent, code.substr(close)});
}

struct Line {
  std::string code;
  std::string comment;
};

/// Lines of a method, with their comments aligned.
std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::string> statements;
  std::vector<size_t> widths;  // of the last line of each
  for (const Line& line : lines) {
    const std::string& text = statements.emplace_back(statement(kBody, line.code));
    widths.push_back(text.size() - (text.rfind('\n') + 1));
  }
  const size_t width = lines.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += statements[i];
    if (!lines[i].comment.empty()) {
      text += format("{}  # {}", {std::string(width - widths[i], ' '), lines[i].comment});
    }
    text += '\n';
  }
  return text;
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
  if (!tensor.variable.empty()) return tensor.variable;
  return tensor.role == Role::kParameter ? format("self.{}", {tensor.name}) : tensor.name;
}

/// `inputs`: Python expressions.
std::string step_expression(const Graph& graph, const Step& step,
                            const std::vector<std::string>& inputs) {
  const std::string module =
      step.module < 0 ? ""
                      : format("self.{}", {graph.modules()[static_cast<size_t>(step.module)].name});
  return step.op->pytorch(inputs, module);
}

std::string initial_values(const Tensor& parameter, const Init& init) {
  const std::string shape = to_string(parameter.shape);
  switch (init.kind) {
    case Init::Kind::kZeros:
      return format("torch.zeros{}", {shape});
    case Init::Kind::kOnes:
      return format("torch.ones{}", {shape});
    case Init::Kind::kUniform:
      return format("torch.empty{}.uniform_({}, {})", {shape, -init.spread, init.spread});
    case Init::Kind::kNormal:
      return format("torch.empty{}.normal_(0, {})", {shape, init.spread});
  }
  return {};
}

Init first_values(const Graph& graph, TensorId parameter) {
  for (const Draw& draw : graph.draws()) {
    if (draw.parameter == parameter) return draw.init;
  }
  return {};
}

/// "[A] * 3 + [B, C]" of what stands at [begin, end) of a call's order.
std::string runs_text(const Call& call, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end;) {
    size_t next = i;
    while (next < end && call.order[next] == call.order[i]) ++next;
    const std::string& name = call.body_of(i).class_name;
    if (next - i == 1 && !text.empty() && text.back() == ']') {
      text.replace(text.size() - 1, 1, format(", {}]", {name}));
    } else {
      text += format("{}[{}]", {text.empty() ? "" : " + ", name});
    }
    if (next - i > 1) text += format(" * {}", {next - i});
    i = next;
  }
  return text;
}

/// The nn.ModuleList of a call's bodies: what recurs in their order is written once.
std::string list_text(const Call& call) {
  const size_t times = call.order.size();
  if (call.bodies.size() == 1) {
    return format("nn.ModuleList({}() for _ in range({}))", {call.bodies[0].class_name, times});
  }
  size_t period = 1;
  while (!std::equal(call.order.begin() + static_cast<std::ptrdiff_t>(period), call.order.end(),
                     call.order.begin())) {
    ++period;
  }
  const size_t rest = times % period;
  std::string kinds = runs_text(call, 0, std::min(period, times));
  const bool single = kinds.find(']') + 1 == kinds.size();
  if (times / period > 1) {
    kinds = format(single ? "{} * {}" : "({}) * {}", {kinds, times / period});
  }
  if (period < times && rest > 0) {
    kinds = format("{} + {}", {kinds, runs_text(call, times - rest, times)});
  }
  return format("nn.ModuleList(kind() for kind in {})", {kinds});
}

/// The statements of __init__() that make modules and parameters of one class.
class Constructor {
 public:
  explicit Constructor(const Graph& graph) : graph_(graph) {}

  std::string text() {
    for (const Module& module : graph_.modules()) add(module);
    return text_;
  }

 private:
  void add(const Module& module) {
    if (module.call != kNoCall) {
      assign(module.name, list_text(graph_.calls()[static_cast<size_t>(module.call)]));
    } else if (!module.constructor.empty()) {
      assign(module.name, module.constructor);
    } else if (module.name.empty() && graph_.base().empty()) {
      for (const TensorId id : module.parameters) {
        const Tensor& parameter = graph_.tensor(id);
        assign(parameter.name,
               format("nn.Parameter({})", {initial_values(parameter, first_values(graph_, id))}));
      }
    }
  }

  /// self.a.b = value, after self.a = nn.Module() where nothing has made self.a.
  void assign(const std::string& name, const std::string& value) {
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      const std::string parent = name.substr(0, dot);
      if (add_once(made_, parent)) text_ += format("{}self.{} = nn.Module()\n", {kBody, parent});
    }
    add_once(made_, name);
    text_ += statement(kBody, format("self.{} = {}", {name, value})) + '\n';
  }

  const Graph& graph_;
  std::string text_;
  std::vector<std::string> made_;
};

std::string constructor_text(const Graph& graph) {
  const bool inherits = !graph.base().empty();
  const std::string modules = Constructor(graph).text();
  if (modules.empty() && !inherits) return {};
  const std::string super =
      statement(kBody, format("super().__init__({})", {inherits ? graph.base_arguments() : ""}));
  return format("    def __init__(self):\n{}\n{}\n", {super, modules});
}

Line step_line(const Graph& graph, const Step& step) {
  const Tensor& output = graph.tensor(step.output);
  std::vector<std::string> inputs;
  for (const TensorId id : step.inputs) inputs.push_back(expression(graph, id));
  return {format("{} = {}", {output.name, step_expression(graph, step, inputs)}),
          to_string(output.shape)};
}

/// The statements that unpack parameters, each before the first step that takes a part.
class Unpacking {
 public:
  explicit Unpacking(const Graph& graph) : graph_(graph) {}

  void add_before(const Step& step, std::vector<Line>& lines) {
    for (const TensorId id : step.inputs) {
      const Tensor& part = graph_.tensor(id);
      if (part.variable.empty() || !add_once(unpacked_, part.storage)) continue;
      std::vector<std::string> names;
      for (const Tensor& other : graph_.tensors()) {
        if (other.storage == part.storage && !other.variable.empty()) {
          names.push_back(other.variable);
        }
      }
      lines.push_back({format("{} = self.{}.chunk({})",
                              {joined(names), graph_.tensor(part.storage).name, names.size()}),
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

std::string body_class(const Body& body) {
  std::string text =
      format("class {}(nn.Module):\n{}", {body.class_name, constructor_text(*body.graph)});
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
  std::vector<std::string> variables{"layer"}, lists{format("self.{}", {call.name})};
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
    choices +=
        last ? format("{}else:\n", {kIndented})
             : format("{}{} isinstance(layer, {}):\n",
                      {kIndented, &body == &call.bodies.front() ? "if" : "elif", body.class_name});
    choices += call_of_layer(graph, call, format("{}    ", {kIndented}), arguments);
    if (!stacks.empty()) {
      iterating += format("{}{} = {}\n", {kBody, joined(stacks), joined(iterators)});
    }
  }
  return format("{}{}for layer in self.{}:\n{}", {iterating, kBody, call.name, choices});
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

/// A class's docstring, on several lines where one is not wide enough.
std::string docstring(std::string_view summary) {
  const std::string indent = "    ";
  std::string text = format("{}\"\"\"{}", {indent, summary});
  size_t begin = 0;
  while (text.size() + 3 - begin > kWidth) {
    const size_t space = text.rfind(' ', begin + kWidth);
    text.replace(space, 1, format("\n{}", {indent}));
    begin = space + 1;
  }
  return format("{}{}\"\"\"\n", {text, begin == 0 ? "" : format("\n{}", {indent})});
}

std::string layer_class(const Layer& layer, const Graph& graph) {
  const std::string base = graph.base().empty() ? "nn.Module" : graph.base();
  std::string text = format("class {}({}):\n", {layer.pytorch_class, base});
  text += format("{}\n", {docstring(layer.summary)});
  text += constructor_text(graph);
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
