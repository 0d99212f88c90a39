// A stack of encoder layers over embeddings, with a pooler: the shape of BERT, and its names in
// Hugging Face's BertModel. Devlin et al. 2019, https://arxiv.org/abs/1810.04805.

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/concat.h"
#include "fields.h"
#include "positions.h"
#include "projections.h"
#include "stack.h"
#include "transformer.h"
#include "words.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_heads_divide(config, "hidden_size");
  check_padding(config);
  check_positions(config, "seq_len", config.dimension("seq_len"),
                  config.integer("position_offset"));
}

/// What one layer of the stack has.
struct LayerModules {
  Projections projections;
  DropoutModule weights_dropout;
  NormModule norm1;
  DropoutModule dropout1;
  FeedForward feed_forward;
  NormModule norm2;
  DropoutModule dropout2;
};

struct Modules {
  EmbeddingModule words;
  std::optional<EmbeddingModule> positions, kinds, relative_bias;
  NormModule norm;
  DropoutModule dropout;
  int layers;
  LayerModules layer;
  std::optional<NormModule> last_norm;
  std::optional<LinearModule> pooler;
};

LayerModules declare_layer(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), F = config.dimension("intermediate_size");
  const bool bias = config.flag("bias");
  const double share = config.number("dropout"), eps = config.number("norm_eps");
  const auto linear = [&](const char* name, Dimension in, Dimension out) {
    return declare_linear(parameters, name, in, out, bias);
  };
  LayerModules layer{};
  layer.projections.query = linear("attention.self.query", E, E);
  layer.projections.key = linear("attention.self.key", E, E);
  layer.projections.value = linear("attention.self.value", E, E);
  layer.weights_dropout = declare_dropout(parameters, "attention.self.dropout", share);
  layer.projections.output = linear("attention.output.dense", E, E);
  layer.norm1 = declare_layer_norm(parameters, "attention.output.LayerNorm", E, eps);
  layer.dropout1 = declare_dropout(parameters, "attention.output.dropout", share);
  layer.feed_forward.up = linear("intermediate.dense", E, F);
  layer.feed_forward.activation = config.choice("activation");
  layer.feed_forward.down = linear("output.dense", F, E);
  layer.norm2 = declare_layer_norm(parameters, "output.LayerNorm", E, eps);
  layer.dropout2 = declare_dropout(parameters, "output.dropout", share);
  return layer;
}

Modules declare(Parameters& parameters, const Config& config) {
  const Dimension E = config.dimension("hidden_size"), types = config.dimension("type_vocab_size");
  const double eps = config.number("norm_eps");
  Modules modules{};
  modules.words = declare_words(parameters, config, "embeddings.word_embeddings", E);
  modules.positions =
      declare_position_vectors(parameters, config, "embeddings.position_embeddings", E);
  if (types > 0) {
    modules.kinds = declare_embedding(parameters, "embeddings.token_type_embeddings", types, E);
  }
  modules.norm = declare_layer_norm(parameters, "embeddings.LayerNorm", E, eps);
  modules.dropout = declare_dropout(parameters, "embeddings.dropout", config.number("dropout"));
  modules.relative_bias =
      declare_relative_bias(parameters, config, config.dimension("num_heads"), "encoder.");
  auto layer = std::make_shared<Parameters>("EncoderLayer");
  modules.layer = declare_layer(*layer, config);
  const auto times = static_cast<size_t>(config.integer("num_layers"));
  modules.layers = parameters.add_member({"encoder.layer", {layer}, std::vector<int>(times, 0)});
  if (config.flag("norm_first")) {
    modules.last_norm = declare_layer_norm(parameters, "encoder.norm", E, eps);
  }
  if (config.flag("pooler")) {
    modules.pooler = declare_linear(parameters, "pooler.dense", E, E, config.flag("bias"));
  }
  return modules;
}

class Forward {
 public:
  Forward(Graph& graph, const Modules& modules, const Config& config)
      : graph_(graph),
        modules_(modules),
        config_(config),
        span_{.seq_len = config.dimension("seq_len")},
        E_(config.dimension("hidden_size")),
        H_(config.dimension("num_heads")),
        norm_first_(config.flag("norm_first")) {}

  void run() {
    const std::vector<TensorId> layers = add_layers(add_embeddings());
    TensorId output = layers[0];
    const TensorId weights = layers[1];
    if (modules_.last_norm) output = apply_norm(graph_, *modules_.last_norm, output, "encoded");
    graph_.add_result("output", output);
    if (modules_.pooler) graph_.add_result("pooled", add_pooler(*modules_.pooler, output));
    graph_.add_result("weights", weights, {.weights = true});
  }

 private:
  TensorId add_embeddings() {
    const Dimension V = config_.dimension("vocab_size");
    const TensorId tokens =
        graph_.add_integer_input("tokens", {config_.dimension("batch_size"), span_.seq_len}, V);
    TensorId x = apply_embedding(graph_, modules_.words, tokens, "word_vectors");
    if (modules_.kinds) {  // every token is of the first type
      const OpPtr& add = shared_op<Add>();
      const TensorId first = graph_.use({modules_.kinds->weight.parameter, 0, 1});
      x = graph_.add_step("add_type", "embed", add, {x, first}, "typed");
    }
    x = add_position_vectors(graph_, config_, span_, modules_.positions, x, "placed",
                             config_.integer("position_offset"));
    const bool drops = modules_.dropout.share > 0;
    x = apply_norm(graph_, modules_.norm, x, drops ? "normed_embeddings" : "hidden_states");
    return apply_dropout(graph_, modules_.dropout, "embed", x, "hidden_states");
  }

  std::vector<TensorId> add_layers(TensorId embedded) {
    const PositionSteps steps(graph_, config_, H_, E_ / H_, embedded, /*is_causal=*/false,
                              modules_.relative_bias);
    const Positions positions = steps.add(span_, 0);
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph_, modules_.layers, 0, embedded);
    const TensorId bias = layer.share(positions.bias);
    const auto [hidden, weights] = add_layer(layer.graph(), layer.carried(), bias);
    layer.graph().add_result("hidden_states", hidden);
    layer.graph().add_result("weights", weights, {.weights = true});
    return add_stack(graph_, modules_.layers, std::move(kinds));
  }

  Attended add_layer(Graph& graph, TensorId x, TensorId position_bias) const {
    const LayerModules& layer = modules_.layer;
    const TensorId from = norm_first_ ? apply_norm(graph, layer.norm1, x, "attention_normed") : x;
    const Attended attended = add_projected_attention(
        graph, layer.projections, {from, from, from}, H_,
        {.bias = position_bias, .dropout = layer.weights_dropout}, "attended");
    const TensorId middle =
        join(graph, x, attended.output, layer.norm1, layer.dropout1, "attention", "middle");
    const TensorId inner =
        norm_first_ ? apply_norm(graph, layer.norm2, middle, "output_normed") : middle;
    const TensorId fed = layer.feed_forward.apply(graph, inner, "fed_forward");
    return {join(graph, middle, fed, layer.norm2, layer.dropout2, "output", "layer_output"),
            attended.weights};
  }

  /// The residual connection, with the norm after it unless it was before.
  TensorId join(Graph& graph, TensorId x, TensorId made, const NormModule& norm,
                const DropoutModule& dropout, std::string_view name,
                std::string_view output) const {
    const TensorId dropped =
        apply_dropout(graph, dropout, "residual", made, format("{}_dropped", {name}));
    if (norm_first_) return add_residual(graph, x, dropped, output);
    return apply_norm(graph, norm, add_residual(graph, x, dropped, format("{}_sum", {name})),
                      output);
  }

  TensorId add_pooler(const LinearModule& dense, TensorId hidden) {
    const OpPtr& first = shared_op<FirstPosition>();
    const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
    const TensorId token = graph_.add_step("first", "pool", first, {hidden}, "first_token");
    const TensorId projected = apply_linear(graph_, dense, "pool", token, "projected_token");
    return graph_.add_step("activate_pooled", "pool", tanh, {projected}, "pooled");
  }

  Graph& graph_;
  const Modules& modules_;
  const Config& config_;
  const Span span_;
  const Dimension E_, H_;
  const bool norm_first_;
};

void forward(Graph& graph, const Modules& modules, const Config& config) {
  Forward(graph, modules, config).run();
}

const Layer kLayer = {
    .name = "encoder",
    .title = "Encoder",
    .group = "transformer",
    .place = 440,
    .summary = "Embeddings, a stack of encoder layers and a pooler: BERT and its kin.",
    .pytorch_class = "Encoder",
    .fields = {fields::batch_size(1), fields::seq_len(), fields::vocab_size(30522),
               fields::padding_idx(), fields::max_positions(512),
               integer_field("position_offset",
                             "Where in the table of positions' vectors, learned or sinusoidal, "
                             "that of a sequence's first token stands; those before are of no "
                             "token (RoBERTa: pad_token_id + 1).",
                             0, 0, 65536),
               sampled({0, 1, 2, 3},
                       integer_field("type_vocab_size",
                                     "Types of tokens, of which the first is used; 0: none.", 2, 0,
                                     65536)),
               fields::hidden_size(256), fields::num_layers(4), fields::num_heads(4),
               fields::intermediate_size(1024),
               activation_field("gelu", {"relu", "gelu", "gelu_tanh", "silu"}),
               boolean_field("norm_first",
                             "Whether each part is normed before it, or its sum after it.", false),
               fields::norm_eps(1e-12),
               position_field(
                   "How positions are told apart: learned or sinusoidal vectors added to the "
                   "input, or biases on the scores: ALiBi, T5's relative; vectors count from the "
                   "start of each sequence, so padding goes to its end.",
                   {"none", "learned", "sinusoidal", "alibi", "relative"}, "learned"),
               boolean_field("pooler", "Whether a tanh layer pools the first position.", true),
               fields::dropout(0.1), fields::bias(), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
