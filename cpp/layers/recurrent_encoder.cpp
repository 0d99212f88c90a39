// A recurrent layer over a sequence: nn.LSTM, nn.GRU or nn.RNN.
// Hochreiter and Schmidhuber 1997, "Long Short-Term Memory",
// https://doi.org/10.1162/neco.1997.9.8.1735; Cho et al. 2014, "Learning Phrase Representations
// using RNN Encoder-Decoder", https://arxiv.org/abs/1406.1078; Elman 1990, "Finding Structure in
// Time", https://doi.org/10.1207/s15516709cog1402_1.

#include "fields.h"
#include "recurrent.h"

namespace attnscope {
namespace {

constexpr int64_t kMostLayers = 64;

RecurrentShape shape_of(const Config& config) {
  return {.cell = recurrent_cell(config.choice("cell")),
          .input_size = config.dimension("input_size"),
          .hidden_size = config.dimension("hidden_size"),
          .num_layers = config.integer("num_layers"),
          .bidirectional = config.flag("bidirectional"),
          .bias = config.flag("bias"),
          .dropout = config.number("dropout")};
}

RecurrentModule declare(Parameters& parameters, const Config& config) {
  const RecurrentShape shape = shape_of(config);
  parameters.inherit(shape.cell.pytorch_class, recurrent_arguments(shape));
  return declare_recurrent(parameters, parameters.add_module("", ""), shape);
}

void forward(Graph& graph, const RecurrentModule& module, const Config& config) {
  const TensorId x =
      graph.add_input("hidden_states", {config.dimension("batch_size"), config.dimension("seq_len"),
                                        config.dimension("input_size")});
  const RecurrentResults results = add_recurrent(graph, module, x, "super().forward");
  graph.add_result("output", results.output);
  for (const TensorId state : results.state) graph.add_result(graph.tensor(state).name, state);
}

void check(const Config& config) {
  const double dropout = config.number("dropout");
  if (config.integer("num_layers") > 1 || dropout == 0) return;
  refuse("dropout", "dropout must be 0 where num_layers is 1, got {}: it is between layers",
         {dropout});
}

const Layer kLayer = {
    .name = "recurrent_encoder",
    .title = "LSTM, GRU or RNN",
    .group = "recurrent",
    .place = 250,
    .summary =
        "A recurrent layer reads a sequence position by position and keeps what it needs in a "
        "state.",
    .pytorch_class = "RecurrentEncoder",
    .fields = {choice_field("cell",
                            "Cell that makes the state after a position of the state before it.",
                            recurrent_cell_names(), "lstm"),
               fields::batch_size(), fields::seq_len(),
               fields::dimension("input_size", "Features of each position's input.", 256),
               fields::dimension("hidden_size",
                                 "Units: features of the state, and of the output of a position.",
                                 256, Axis::kHidden),
               fields::num_layers(1, kMostLayers),
               boolean_field("bidirectional",
                             "Whether a second direction reads from the last position to the "
                             "first; the output has the states of both side by side.",
                             false),
               fields::dropout(0,
                               "Share of each layer's output but the last that training sets to "
                               "zero."),
               fields::bias(), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
