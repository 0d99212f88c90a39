#include "pytorch.h"

#include <algorithm>

#include "../graph/rows.h"
#include "cost.h"
#include "memory.h"
#include "pytorch_module.h"

namespace attnscope {
namespace {

std::string expected_text(const Config& config, const Graph& graph) {
  const Dtype dtype = dtype_from(config.choice("dtype"));
  const StepCost total = cost(rows_of(graph), dtype).total;
  std::string shapes;
  for (const Result& result : graph.results()) {
    shapes += format("        \"{}\": {},\n", {result.name, graph.tensor(result.tensor).shape});
  }
  std::string text = "EXPECTED = {\n";
  text += format("    \"parameters\": {},\n", {to_string(total.parameters)});
  text += format("    \"flops\": {},  # 2 per multiply-accumulate\n",
                 {to_string(total.operations.by(kFlops))});
  text += format("    \"shapes\": {\n{}    },\n", {shapes});
  if (trainable(dtype)) {
    text += format("    \"saved_for_backward\": {},  # bytes, parameters left out\n",
                   {to_string(memory(graph, dtype).saved_for_backward)});
  }
  return format("{}}\n", {text});
}

/// The call that moves a module or an input to the format, which torch makes in float32; int8
/// layers are checked there, where they can be run.
std::string conversion(Dtype dtype) {
  if (dtype == Dtype::kFloat32 || !trainable(dtype)) return {};
  return format(".to(torch.{})", {format_of(dtype).name});
}

std::string measure_text(const Graph& graph, Dtype dtype) {
  const char* call = graph.results().size() == 1 ? "(module(**inputs),)" : "module(**inputs)";
  std::string text = R"(def measure(module, inputs):
    """What PyTorch itself counts: the same keys as EXPECTED."""
)";
  if (trainable(dtype)) {
    text += R"(    parameters = {p.untyped_storage().data_ptr() for p in module.parameters()}
    saved = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            saved[storage.data_ptr()] = storage
        return tensor

)";
  }
  text += format("    counter = FlopCounterMode(display=False)\n    with counter{}:\n",
                 {trainable(dtype) ? ", torch.autograd.graph.saved_tensors_hooks(keep, lambda "
                                     "tensor: tensor)"
                                   : ""});
  text += format("        results = {}\n", {call});
  text += R"(    return {
        "parameters": sum(p.numel() for p in module.parameters()),
        "flops": counter.get_total_flops(),
        "shapes": {name: tuple(r.shape) for name, r in zip(EXPECTED["shapes"], results)},
)";
  if (trainable(dtype)) {
    text += R"(        "saved_for_backward": sum(storage.nbytes() for storage in saved.values()),
)";
  }
  return text + "    }\n";
}

/// The inputs that are drawn, as entries of a dict.
std::string inputs_text(const Graph& graph, Dtype dtype) {
  std::string text;
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.role == Role::kOptionalInput) continue;
    const std::string shape = to_string(tensor.shape);
    const std::string drawn =
        tensor.limit > 0 ? format("torch.randint(0, {}, {})", {tensor.limit, shape})
                         : format("torch.randn{}{}.requires_grad_()", {shape, conversion(dtype)});
    text += format("        \"{}\": {},\n", {tensor.name, drawn});
  }
  return text;
}

std::string main_text(const Config& config, const Graph& graph, Dtype dtype) {
  std::string text = "def main():\n    torch.manual_seed(0)\n";
  const auto is_lstm = [](const Row& row) { return row.group && row.group->call == "nn.LSTM"; };
  if (std::ranges::any_of(rows_of(graph), is_lstm)) {
    text +=
        "    torch.backends.mkldnn.enabled = False  # its LSTM hides what it computes and keeps\n";
  }
  text += format("    module = {}(){}\n", {config.layer().pytorch_class, conversion(dtype)});
  text += format("    inputs = {\n{}    }\n", {inputs_text(graph, dtype)});
  return text + R"(    measured = measure(module, inputs)
    wrong = [key for key, value in EXPECTED.items() if measured[key] != value]
    for key in wrong:
        print(f"MISMATCH {key}: expected {EXPECTED[key]}, PyTorch has {measured[key]}")
    if wrong:
        sys.exit(1)
    print("OK")


if __name__ == "__main__":
    main()
)";
}

std::string check_text(const Config& config, const Graph& graph) {
  const Dtype dtype = dtype_from(config.choice("dtype"));
  return format("{}\n\n{}\n\n{}", {expected_text(config, graph), measure_text(graph, dtype),
                                   main_text(config, graph, dtype)});
}

}  // namespace

std::string pytorch_source(const Config& config, const PytorchOptions& options) {
  const Graph graph = config.layer().forward_graph(config);
  const Graph printed = options.mask ? graph : graph.without_optional_inputs();
  const std::string classes = helpers_text(printed) + classes_text(config.layer(), printed);
  std::string text;
  const auto uses = [&](const char* module) { return classes.find(module) != std::string::npos; };
  if (uses("math.")) text += "import math\n";
  if (options.self_check) text += "import sys\n";
  if (!text.empty()) text += "\n";
  if (options.self_check || uses("torch.")) text += "import torch\n";
  if (uses("F.")) text += "import torch.nn.functional as F\n";
  text += "from torch import nn\n";
  if (options.self_check) text += "from torch.utils.flop_counter import FlopCounterMode\n";
  text += format("\n\n{}", {classes});
  if (!options.self_check) return text;
  return format("{}\n\n{}", {text, check_text(config, graph)});
}

}  // namespace attnscope
