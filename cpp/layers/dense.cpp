// The fully connected layer that attention is compared with: the same weights at each time step.

#include "../ops/activation.h"
#include "../ops/linear.h"
#include "fields.h"
#include "layer.h"

namespace attnscope {
namespace {

LinearModule declare(Parameters& parameters, const Config& config) {
  return declare_linear(parameters, "dense", config.dimension("hidden_size"),
                        config.dimension("out_features"), config.flag("bias"));
}

void forward(Graph& graph, const LinearModule& dense, const Config& config) {
  const Dimension E = config.dimension("hidden_size");
  const TensorId x = graph.add_input(
      "hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"), E});
  const std::string_view activation = config.choice("activation");
  const bool linear = activation == "none";
  TensorId output = apply_linear(graph, dense, "project", x, linear ? "output" : "projected");
  if (!linear) {
    output =
        graph.add_step("activate", "project", activation_named(activation), {output}, "output");
  }
  graph.add_result("output", output);
}

const Layer kLayer = {
    .name = "dense",
    .title = "Dense layer",
    .group = "pooling",
    .place = 230,
    .summary = "A fully connected layer at each time step: it mixes features and no positions.",
    .pytorch_class = "Dense",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(),
               fields::dimension("out_features", "Features that come out.", 768),
               choice_field("activation", "Function of each output.",
                            {"none", "tanh", "relu", "sigmoid", "gelu"}, "relu"),
               fields::bias(), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
