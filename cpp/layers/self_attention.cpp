// One head of self-attention with dropout, residual connection and layer norm after it.

#include "../ops/arithmetic.h"
#include "../ops/norm.h"
#include "fields.h"
#include "projections.h"

namespace attnscope {
namespace {

struct Modules {
  Projections projections;
  DropoutModule dropout;
  NormModule norm;
};

Modules declare(Parameters& parameters, const Config& config) {
  constexpr double kEps = 1e-5;  // nn.LayerNorm's default
  const Dimension E = config.dimension("hidden_size");
  return {declare_projections(parameters, "attention.", E, E, E, config.flag("bias")),
          declare_dropout(parameters, "dropout", config.number("dropout")),
          declare_layer_norm(parameters, "layer_norm", E, kEps)};
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const OpPtr& add = shared_op<Add>();
  const Dimension E = config.dimension("hidden_size");
  const TensorId x = graph.add_input(
      "hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"), E});
  const Attended attended =
      add_projected_attention(graph, modules.projections, {x, x, x}, 0, {}, "attended");
  const TensorId dropped =
      apply_dropout(graph, modules.dropout, "combine", attended.output, "dropped");
  const TensorId sum = graph.add_step("residual", "combine", add, {x, dropped}, "residual");
  graph.add_result("output", apply_norm(graph, modules.norm, sum, "output"));
  graph.add_result("weights", attended.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "self_attention",
    .title = "Self-attention",
    .group = "attention",
    .place = 350,
    .summary =
        "One head of attention of a sequence to itself, with dropout, residual connection and "
        "layer norm.",
    .pytorch_class = "SelfAttention",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::bias(),
               fields::dropout(0.1), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
