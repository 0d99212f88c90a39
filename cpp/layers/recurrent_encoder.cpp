// A recurrent layer over a sequence: nn.LSTM.
// Hochreiter and Schmidhuber 1997, "Long Short-Term Memory",
// https://doi.org/10.1162/neco.1997.9.8.1735.

#include "fields.h"
#include "recurrent.h"

namespace attnscope {
namespace {

RecurrentShape shape_of(const Config& config) {
  return {config.dimension("input_size"), config.dimension("hidden_size"), config.flag("bias")};
}

RecurrentModule declare(Parameters& parameters, const Config& config) {
  const RecurrentShape shape = shape_of(config);
  parameters.inherit("nn.LSTM", recurrent_arguments(shape));
  return declare_recurrent(parameters, parameters.add_module("", ""), shape);
}

void forward(Graph& graph, const RecurrentModule& module, const Config& config) {
  const TensorId x =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("input_size")});
  const RecurrentResults results = add_recurrent(graph, module, x, "super().forward");
  graph.add_result("output", results.output);
  graph.add_result("last_hidden", results.hidden);
  graph.add_result("last_cell", results.cell);
}

const Layer kLayer = {
    .name = "recurrent_encoder",
    .title = "Recurrent encoder (LSTM)",
    .group = "recurrent",
    .place = 250,
    .summary = "An LSTM reads a sequence position by position and keeps what it needs in a state.",
    .pytorch_class = "RecurrentEncoder",
    .fields = {fields::batch_size(), fields::seq_len(),
               fields::dimension("input_size", "Features of each position's input.", 256),
               fields::dimension("hidden_size",
                                 "Units: features of the state, and of the output of a position.",
                                 256, Axis::kHidden),
               fields::bias(), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
