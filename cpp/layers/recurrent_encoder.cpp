// A recurrent layer over a sequence: nn.LSTM, nn.GRU or nn.RNN.
// Hochreiter and Schmidhuber 1997, "Long Short-Term Memory",
// https://doi.org/10.1162/neco.1997.9.8.1735; Cho et al. 2014, "Learning Phrase Representations
// using RNN Encoder-Decoder", https://arxiv.org/abs/1406.1078; Elman 1990, "Finding Structure in
// Time", https://doi.org/10.1207/s15516709cog1402_1.

#include "fields.h"
#include "recurrent.h"

namespace attnscope {
namespace {

RecurrentModule declare(Parameters& parameters, const Config& config) {
  RecurrentShape shape = recurrent_shape(config, "cell");
  if (config.optional_integer("proj_size")) shape.proj_size = config.dimension("proj_size");
  parameters.inherit(shape.cell.pytorch_class, recurrent_arguments(shape));
  return declare_recurrent(parameters, parameters.add_module("", ""), shape);
}

void forward(Graph& graph, const RecurrentModule& module, const Config& config) {
  const Dimension B = config.dimension("batch_size"), T = config.dimension("seq_len");
  const TensorId x = graph.add_input("hidden_states", {B, T, config.dimension("input_size")});
  RecurrentInputs inputs{.hidden_states = x, .mask = graph.add_padding_mask("mask", {B, T})};
  if (config.flag("initial_state")) {
    for (const std::string_view state : module.shape.cell.states) {
      const Shape shape = recurrent_state_shape(module.shape, B, inputs.initial_state.size());
      inputs.initial_state.push_back(graph.add_input(format("initial_{}", {state}), shape));
    }
  }
  const RecurrentResults results =
      add_recurrent(graph, module, inputs, {.function = "super().forward"});
  graph.add_result("output", results.output);
  for (const TensorId state : results.last_state) graph.add_result(graph.tensor(state).name, state);
}

void check(const Config& config) {
  const double dropout = config.number("dropout");
  if (config.integer("num_layers") == 1 && dropout > 0) {
    refuse("dropout", "dropout must be 0 where num_layers is 1, got {}: it is between layers",
           {dropout});
  }
  const std::optional<int64_t> projected = config.optional_integer("proj_size");
  if (!projected) return;
  if (config.choice("cell") != "lstm") {
    refuse("proj_size", "proj_size must be null where cell is not lstm, got {}", {*projected});
  }
  if (*projected >= config.integer("hidden_size")) {
    refuse("proj_size", "proj_size must be less than hidden_size ({}), got {}",
           {config.integer("hidden_size"), *projected});
  }
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
               fields::num_layers(1, kMostRecurrentLayers),
               boolean_field("bidirectional",
                             "Whether a second direction reads from the last position to the "
                             "first; the output has the states of both side by side.",
                             false),
               optional(fields::dimension(
                   "proj_size",
                   "With cell lstm: features to which a linear layer projects the hidden state; "
                   "null: it has hidden_size.",
                   64, Axis::kHidden)),
               boolean_field("initial_state",
                             "Whether the first state is an input, as the last state of a run "
                             "before; else it is zeros.",
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
