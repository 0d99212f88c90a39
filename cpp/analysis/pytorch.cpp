#include "pytorch.h"

#include <algorithm>
#include <set>

#include "cost.h"
#include "memory.h"

namespace attnscope {
namespace {

struct Line {
  std::string code;
  std::string comment;
};

/// Lines of equal indentation with their comments aligned.
std::string aligned(const std::vector<Line>& lines, const std::string& indent) {
  size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.code.size());
  std::string text;
  for (const Line& line : lines) {
    text += indent + line.code;
    if (!line.comment.empty()) {
      text += std::string(width - line.code.size(), ' ') + "  # " + line.comment;
    }
    text += '\n';
  }
  return text;
}

std::string results_text(const Graph& graph) {
  std::string text;
  for (const Result& result : graph.results()) {
    if (!text.empty()) text += ", ";
    text += graph.tensor(result.tensor).name;
  }
  return text;
}

std::string signature(const Graph& graph) {
  std::string text = "def forward(self";
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.role == Role::kInput) text += ", " + tensor.name;
  }
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.role == Role::kOptionalInput) text += ", " + tensor.name + "=None";
  }
  return text + "):";
}

std::string input_comments(const Graph& graph) {
  std::vector<Line> lines;
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.role != Role::kInput && tensor.role != Role::kOptionalInput) continue;
    const bool optional = tensor.role == Role::kOptionalInput;
    lines.push_back({"# " + tensor.name + ": " + to_string(tensor.shape) +
                         (optional ? ", boolean (True = may attend) or float (added)" : ""),
                     ""});
  }
  return aligned(lines, "        ");
}

std::string module_text(const Layer& layer, const Graph& graph) {
  std::string text = "class " + std::string(layer.pytorch_class) + "(nn.Module):\n";
  text += "    \"\"\"" + std::string(layer.summary) + "\"\"\"\n\n";
  if (!graph.modules().empty()) {
    text += "    def __init__(self):\n        super().__init__()\n";
    for (const Module& module : graph.modules()) {
      text += "        self." + module.name + " = " + module.constructor + "\n";
    }
    text += "\n";
  }
  text += "    " + signature(graph) + "\n" + input_comments(graph);
  std::vector<Line> lines;
  for (const Step& step : graph.steps()) {
    const Tensor& output = graph.tensor(step.output);
    lines.push_back(
        {output.name + " = " + pytorch_expression(graph, step), to_string(output.shape)});
  }
  return text + aligned(lines, "        ") + "        return " + results_text(graph) + "\n";
}

std::string helpers_text(const Graph& graph) {
  std::string text;
  std::set<std::string_view> seen;
  for (const Step& step : graph.steps()) {
    const std::string_view helper = step.op->pytorch_helper();
    if (!helper.empty() && seen.insert(helper).second) text += std::string(helper) + "\n\n";
  }
  return text;
}

std::string expected_text(const Config& config, const Graph& graph) {
  const Dtype dtype = dtype_from(config.choice("dtype"));
  const StepCost total = cost(graph, dtype).total;
  std::string shapes;
  for (const Result& result : graph.results()) {
    shapes +=
        "        \"" + result.name + "\": " + to_string(graph.tensor(result.tensor).shape) + ",\n";
  }
  std::string text = "EXPECTED = {\n";
  text += "    \"parameters\": " + to_string(total.parameters) + ",\n";
  text += "    \"flops\": " + to_string(product({2, total.macs})) + ",  # 2 per multiply-accumulate\n";
  text += "    \"shapes\": {\n" + shapes + "    },\n";
  if (trainable(dtype)) {
    text += "    \"saved_for_backward\": " + to_string(memory(graph, dtype).saved_for_backward) +
            ",  # bytes, parameters left out\n";
  }
  return text + "}\n";
}

/// Python's name of the format; int8 layers are checked in float32, where they can be run.
std::string torch_dtype(Dtype dtype, std::string_view name) {
  return "torch." + std::string(trainable(dtype) ? name : "float32");
}

std::string check_text(const Config& config, const Graph& graph) {
  const Dtype dtype = dtype_from(config.choice("dtype"));
  std::string inputs;
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.role != Role::kInput) continue;
    inputs += "        \"" + tensor.name + "\": torch.randn" + to_string(tensor.shape) +
              ".to(DTYPE).requires_grad_(),\n";
  }
  std::string names;
  for (const Result& result : graph.results()) names += '"' + result.name + "\", ";
  std::string text = "DTYPE = " + torch_dtype(dtype, config.choice("dtype")) + "\n\n\n";
  text += R"(def measure(module, inputs):
    """What PyTorch itself counts: the same keys as EXPECTED."""
    parameters = {p.untyped_storage().data_ptr() for p in module.parameters()}
    saved = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            saved[storage.data_ptr()] = storage
        return tensor

    counter = FlopCounterMode(display=False)
    with counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        results = module(**inputs)
    if torch.is_tensor(results):
        results = (results,)
    return {
        "parameters": sum(p.numel() for p in module.parameters()),
        "flops": counter.get_total_flops(),
        "shapes": {name: tuple(r.shape) for name, r in zip(RESULTS, results)},
        "saved_for_backward": sum(storage.nbytes() for storage in saved.values()),
    }


)";
  text += "RESULTS = (" + names.substr(0, names.size() - 1) + ")\n\n\n";
  text += "def main():\n    torch.manual_seed(0)\n";
  text += "    module = " + std::string(config.layer().pytorch_class) + "().to(DTYPE)\n";
  text += "    inputs = {\n" + inputs + "    }\n";
  text += R"(    measured = measure(module, inputs)
    wrong = [key for key, value in EXPECTED.items() if measured[key] != value]
    for key in wrong:
        print(f"MISMATCH {key}: expected {EXPECTED[key]}, PyTorch has {measured[key]}")
    if wrong:
        sys.exit(1)
    print("OK")


if __name__ == "__main__":
    main()
)";
  return text;
}

}  // namespace

std::string pytorch_expression(const Graph& graph, const Step& step) {
  std::vector<std::string> inputs;
  inputs.reserve(step.inputs.size());
  for (const TensorId id : step.inputs) inputs.push_back(graph.tensor(id).name);
  const std::string module =
      step.module < 0 ? "" : "self." + graph.modules()[static_cast<size_t>(step.module)].name;
  return step.op->pytorch(inputs, module);
}

std::string pytorch_source(const Config& config, const PytorchOptions& options) {
  const Graph graph = config.layer().build(config);
  std::string text;
  if (options.self_check) text += "import sys\n\n";
  text += "import torch\nfrom torch import nn\n";
  if (options.self_check) text += "from torch.utils.flop_counter import FlopCounterMode\n";
  text += "\n\n" + helpers_text(graph) + module_text(config.layer(), graph);
  if (!options.self_check) return text;
  return text + "\n\n" + expected_text(config, graph) + check_text(config, graph);
}

}  // namespace attnscope
