#include "kept.h"

#include "../layers/field.h"
#include "../ops/softmax.h"

namespace attnscope {
namespace {

/// Whether a name is of something that is not repeated, or of its first repetition.
bool is_first(std::string_view name, std::string& repetition) {
  const std::string_view own = name.substr(0, name.rfind('.') + 1);
  if (repetition.empty()) repetition = own;
  return own.empty() || own == repetition;
}

TensorId find_tensor(Graph& graph, std::string_view layer, const std::string& name) {
  std::vector<std::string> known;
  std::string repetition;
  for (size_t s = 0; s < graph.steps().size(); ++s) {
    const Step& step = graph.steps()[s];
    const std::string& made = graph.tensor(step.output).name;
    if (made == name) return step.output;
    const bool listed = is_first(made, repetition);
    if (const OpPtr masking = masking_of(step)) {
      const std::string masked = masked_name(graph.tensor(step.inputs[0]).name);
      if (masked == name) {
        return graph.insert_step(s, name, step.part, masking, step.inputs, name);
      }
      if (listed) known.push_back(masked);
    }
    if (listed) known.push_back(made);
  }
  throw FieldError("tensors",
                   unknown_name(layer, "tensor", name, {known.begin(), known.end()}).what());
}

}  // namespace

std::vector<TensorId> find_tensors(Graph& graph, std::string_view layer,
                                   const std::vector<std::string>& names) {
  std::vector<TensorId> tensors;
  for (const std::string& name : names) tensors.push_back(find_tensor(graph, layer, name));
  return tensors;
}

}  // namespace attnscope
