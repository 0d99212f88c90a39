#include "pytorch_module.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr const char* kBody = "        ";  // the indentation of a method's statements

/// Appends what is not in the list yet, and tells whether it was not.
template <class T>
bool add_once(std::vector<T>& list, const T& one) {
  if (std::find(list.begin(), list.end(), one) != list.end()) return false;
  list.push_back(one);
  return true;
}

struct Line {
  std::string code;
  std::string comment;
};

/// Lines of equal indentation with their comments aligned.
std::string aligned(const std::vector<Line>& lines) {
  size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.code.size());
  std::string text;
  for (const Line& line : lines) {
    text += format("{}{}", {kBody, line.code});
    if (!line.comment.empty()) {
      text += format("{}  # {}", {std::string(width - line.code.size(), ' '), line.comment});
    }
    text += '\n';
  }
  return text;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// A tensor as a Python expression. After a block its last output is called as its first input,
/// because a loop assigns both to one variable.
std::string expression(const Graph& graph, TensorId id, int in_block) {
  const Tensor& tensor = graph.tensor(id);
  if (tensor.role == Role::kParameter) return format("self.{}", {tensor.name});
  if (in_block == kNoBlock && tensor.block != kNoBlock) {
    const Block& block = graph.blocks()[static_cast<size_t>(tensor.block)];
    if (id == block.carried_out) return expression(graph, block.carried_in, kNoBlock);
  }
  return tensor.name;
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

/// The statements of __init__() that make modules and parameters of one class.
class Constructor {
 public:
  explicit Constructor(const Graph& graph) : graph_(graph) {}

  std::string text(int of_block) {
    for (const Module& module : graph_.modules()) {
      if (module.block == of_block) {
        add(module);
      } else if (of_block == kNoBlock) {
        add_list(graph_.blocks()[static_cast<size_t>(module.block)]);
      }
    }
    return text_;
  }

 private:
  void add(const Module& module) {
    if (!module.constructor.empty()) {
      assign(module.name, module.constructor);
    } else if (module.name.empty() && graph_.base().empty()) {
      for (const TensorId id : module.parameters) {
        const Tensor& parameter = graph_.tensor(id);
        assign(parameter.name,
               format("nn.Parameter({})", {initial_values(parameter, first_values(graph_, id))}));
      }
    }
  }

  void add_list(const Block& block) {
    if (std::exchange(listed_, true)) return;
    assign(block.name,
           format("nn.ModuleList({}() for _ in range({}))", {block.class_name, block.times}));
  }

  /// self.a.b = value, after self.a = nn.Module() where nothing has made self.a.
  void assign(const std::string& name, const std::string& value) {
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      const std::string parent = name.substr(0, dot);
      if (add_once(made_, parent)) text_ += format("{}self.{} = nn.Module()\n", {kBody, parent});
    }
    add_once(made_, name);
    text_ += format("{}self.{} = {}\n", {kBody, name, value});
  }

  const Graph& graph_;
  std::string text_;
  std::vector<std::string> made_;
  bool listed_ = false;
};

std::string constructor_text(const Graph& graph, int of_block) {
  const bool inherits = of_block == kNoBlock && !graph.base().empty();
  const std::string modules = Constructor(graph).text(of_block);
  if (modules.empty() && !inherits) return {};
  return format("    def __init__(self):\n        super().__init__({})\n{}\n",
                {inherits ? graph.base_arguments() : "", modules});
}

Line step_line(const Graph& graph, const Step& step) {
  const Tensor& output = graph.tensor(step.output);
  return {format("{} = {}", {output.name, pytorch_expression(graph, step)}),
          to_string(output.shape)};
}

/// What crosses the border of a block, apart from the tensor that it carries on.
struct Border {
  std::vector<TensorId> shared;    // from outside, the same in each repetition
  std::vector<TensorId> repeated;  // an input's part for each repetition
  std::vector<TensorId> returned;  // read outside afterwards
};

Border border(const Graph& graph, int index) {
  const Block& block = graph.blocks()[static_cast<size_t>(index)];
  Border border;
  for (size_t s = 0; s < graph.steps().size(); ++s) {
    const bool inside = block.first_step <= s && s < block.end_step;
    for (const TensorId id : graph.steps()[s].inputs) {
      const Tensor& tensor = graph.tensor(id);
      if (tensor.role == Role::kParameter || id == block.carried_in) continue;
      if (inside && tensor.block != index) add_once(border.shared, id);
      if (inside && tensor.block == index && tensor.role == Role::kInput) {
        add_once(border.repeated, id);
      }
      if (!inside && tensor.block == index && id != block.carried_out) {
        add_once(border.returned, id);
      }
    }
  }
  for (const Result& result : graph.results()) {
    const bool made_here = graph.tensor(result.tensor).block == index;
    if (made_here && result.tensor != block.carried_out) add_once(border.returned, result.tensor);
  }
  return border;
}

std::vector<std::string> names(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> names;
  for (const TensorId id : ids) names.push_back(graph.tensor(id).name);
  return names;
}

bool has_exceptions(const Graph& graph, const Block& block) {
  for (size_t s = block.first_step; s < block.end_step; ++s) {
    if (graph.steps()[s].exception.every > 0) return true;
  }
  return false;
}

std::vector<std::string> concatenated(std::vector<std::string> a,
                                      const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string block_class(const Graph& graph, int index) {
  const Block& block = graph.blocks()[static_cast<size_t>(index)];
  const Border crossing = border(graph, index);
  std::vector<std::string> inputs = concatenated(
      concatenated({"self", graph.tensor(block.carried_in).name}, names(graph, crossing.repeated)),
      names(graph, crossing.shared));
  if (has_exceptions(graph, block)) inputs.push_back("index");
  std::string text = format("class {}(nn.Module):\n", {block.class_name});
  text += constructor_text(graph, index);
  text += format("    def forward({}):\n", {joined(inputs)});
  std::vector<Line> lines;
  for (size_t s = block.first_step; s < block.end_step; ++s) {
    lines.push_back(step_line(graph, graph.steps()[s]));
  }
  std::vector<TensorId> outputs{block.carried_out};
  outputs.insert(outputs.end(), crossing.returned.begin(), crossing.returned.end());
  return format("{}{}{}return {}\n\n\n",
                {text, aligned(lines), kBody, joined(names(graph, outputs))});
}

/// The loop of the layer's forward() over the repetitions of a block.
std::string loop_text(const Graph& graph, int index) {
  const Block& block = graph.blocks()[static_cast<size_t>(index)];
  const Border crossing = border(graph, index);
  const std::string carried = graph.tensor(block.carried_in).name;
  const std::vector<std::string> repeated = names(graph, crossing.repeated);
  std::vector<std::string> lists{format("self.{}", {block.name})};
  for (const TensorId id : crossing.repeated) {
    lists.push_back(graph.tensor(graph.tensor(id).storage).name);
  }
  std::vector<std::string> arguments =
      concatenated(concatenated({carried}, repeated), names(graph, crossing.shared));
  std::vector<std::string> variables = concatenated({"layer"}, repeated);
  if (has_exceptions(graph, block)) {
    arguments.push_back("index");
    variables.insert(variables.begin(), "index");
    lists.insert(lists.begin(), format("range({})", {block.times}));
  }
  const std::string over = lists.size() == 1 ? lists[0] : format("zip({})", {joined(lists)});
  const std::vector<std::string> outputs = concatenated({carried}, names(graph, crossing.returned));
  return format("{}for {} in {}:\n{}    {} = layer({})  # {}\n",
                {kBody, joined(variables), over, kBody, joined(outputs), joined(arguments),
                 graph.tensor(block.carried_in).shape});
}

std::string signature(const Graph& graph) {
  std::string required, optional;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role == Role::kInput) required += format(", {}", {tensor.name});
    if (tensor.role == Role::kOptionalInput) optional += format(", {}=None", {tensor.name});
  }
  return format("def forward(self{}{}):", {required, optional});
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
  const std::string base = graph.base().empty() ? "nn.Module" : graph.base();
  std::string text = format("class {}({}):\n", {layer.pytorch_class, base});
  text += format("    \"\"\"{}\"\"\"\n\n", {layer.summary});
  text += constructor_text(graph, kNoBlock);
  text += format("    {}\n{}", {signature(graph), input_comments(graph)});
  std::vector<Line> lines;
  for (size_t s = 0; s < graph.steps().size();) {
    const int in_block = graph.tensor(graph.steps()[s].output).block;
    if (in_block == kNoBlock) {
      lines.push_back(step_line(graph, graph.steps()[s++]));
      continue;
    }
    text += aligned(std::exchange(lines, {})) + loop_text(graph, in_block);
    s = graph.blocks()[static_cast<size_t>(in_block)].end_step;
  }
  std::vector<std::string> results;
  for (const Result& result : graph.results()) {
    results.push_back(expression(graph, result.tensor, kNoBlock));
  }
  return format("{}{}{}return {}\n", {text, aligned(lines), kBody, joined(results)});
}

}  // namespace

std::string pytorch_expression(const Graph& graph, const Step& step) {
  const int in_block = graph.tensor(step.output).block;
  std::vector<std::string> inputs;
  inputs.reserve(step.inputs.size());
  for (const TensorId id : step.inputs) inputs.push_back(expression(graph, id, in_block));
  const std::string module =
      step.module < 0 ? ""
                      : format("self.{}", {graph.modules()[static_cast<size_t>(step.module)].name});
  const std::string usual = step.op->pytorch(inputs, module);
  if (step.exception.every == 0) return usual;
  return format("{} if (index + 1) % {} == 0 else {}",
                {step.exception.op->pytorch(inputs, module), step.exception.every, usual});
}

std::string helpers_text(const Graph& graph) {
  std::string text;
  std::vector<std::string_view> seen;
  for (const Step& step : graph.steps()) {
    const std::string_view helper = step.op->pytorch_helper();
    if (!helper.empty() && add_once(seen, helper)) text += format("{}\n\n", {helper});
  }
  return text;
}

std::string classes_text(const Layer& layer, const Graph& graph) {
  std::string text;
  for (size_t index = 0; index < graph.blocks().size(); ++index) {
    text += block_class(graph, static_cast<int>(index));
  }
  return text + layer_class(layer, graph);
}

}  // namespace attnscope
