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

class Builder {
 public:
  explicit Builder(const Config& config)
      : config_(config),
        span_{.seq_len = config.dimension("seq_len")},
        E_(config.dimension("hidden_size")),
        H_(config.dimension("num_heads")),
        norm_first_(config.flag("norm_first")),
        share_(config.number("dropout")),
        eps_(config.number("norm_eps")) {}

  Graph run() {
    const TensorId embedded = add_embeddings();
    add_layers(embedded);
    const Call& layers = graph_.calls().back();
    TensorId output = layers.outputs[0];
    const TensorId weights = layers.outputs[1];
    if (norm_first_) {
      const NormModule norm = declare_layer_norm(graph_, "encoder.norm", E_, eps_);
      output = apply_norm(graph_, norm, output, "encoded");
    }
    graph_.add_result("output", output);
    if (config_.flag("pooler")) graph_.add_result("pooled", add_pooler(output));
    graph_.add_result("weights", weights, {.weights = true});
    return std::move(graph_);
  }

 private:
  TensorId add_embeddings() {
    const Dimension V = config_.dimension("vocab_size"),
                    types = config_.dimension("type_vocab_size");
    const EmbeddingModule words = declare_words(graph_, config_, "embeddings.word_embeddings", E_);
    const auto positions =
        declare_position_vectors(graph_, config_, "embeddings.position_embeddings", E_);
    std::optional<EmbeddingModule> kinds;
    if (types > 0) {
      kinds = declare_embedding(graph_, "embeddings.token_type_embeddings", types, E_);
    }
    const NormModule norm = declare_layer_norm(graph_, "embeddings.LayerNorm", E_, eps_);
    const DropoutModule dropout = declare_dropout(graph_, "embeddings.dropout", share_);

    const TensorId tokens =
        graph_.add_integer_input("tokens", {config_.dimension("batch_size"), span_.seq_len}, V);
    TensorId x = apply_embedding(graph_, words, tokens, "word_vectors");
    if (kinds) {  // every token is of the first type
      const OpPtr& add = shared_op<Add>();
      const TensorId first = graph_.add_rows(kinds->weight, 0, 1);
      x = graph_.add_step("add_type", "embed", add, {x, first}, "typed");
    }
    x = add_position_vectors(graph_, config_, span_, positions, x, "placed",
                             config_.integer("position_offset"));
    x = apply_norm(graph_, norm, x, share_ > 0 ? "normed_embeddings" : "hidden_states");
    return apply_dropout(graph_, dropout, "embed", x, "hidden_states");
  }

  void add_layers(TensorId embedded) {
    const PositionSteps steps(graph_, config_, {H_, E_ / H_}, embedded, /*is_causal=*/false,
                              "encoder.");
    const Positions positions = steps.add(span_, 0);
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph_, "EncoderLayer", embedded);
    const TensorId bias = layer.share(positions.bias);
    const auto [hidden, weights] = add_layer(layer.graph(), layer.carried(), bias);
    layer.graph().add_result("hidden_states", hidden);
    layer.graph().add_result("weights", weights, {.weights = true});
    const size_t times = static_cast<size_t>(config_.integer("num_layers"));
    add_stack(graph_, "encoder.layer", std::move(kinds), std::vector<int>(times, 0));
  }

  Attended add_layer(Graph& graph, TensorId x, TensorId position_bias) {
    const bool bias = config_.flag("bias");
    const auto declare = [&](const char* name, Dimension in, Dimension out) {
      return declare_linear(graph, name, in, out, bias);
    };
    const Dimension F = config_.dimension("intermediate_size");
    Projections projections;
    projections.query = declare("attention.self.query", E_, E_);
    projections.key = declare("attention.self.key", E_, E_);
    projections.value = declare("attention.self.value", E_, E_);
    const DropoutModule weights_dropout = declare_dropout(graph, "attention.self.dropout", share_);
    projections.output = declare("attention.output.dense", E_, E_);
    const NormModule norm1 = declare_layer_norm(graph, "attention.output.LayerNorm", E_, eps_);
    const DropoutModule dropout1 = declare_dropout(graph, "attention.output.dropout", share_);
    FeedForward feed_forward{.up = declare("intermediate.dense", E_, F),
                             .activation = config_.choice("activation")};
    feed_forward.down = declare("output.dense", F, E_);
    const NormModule norm2 = declare_layer_norm(graph, "output.LayerNorm", E_, eps_);
    const DropoutModule dropout2 = declare_dropout(graph, "output.dropout", share_);

    const TensorId from = norm_first_ ? apply_norm(graph, norm1, x, "attention_normed") : x;
    const Attended attended =
        add_projected_attention(graph, projections, {from, from, from}, H_,
                                {.bias = position_bias, .dropout = weights_dropout}, "attended");
    const TensorId middle = join(graph, x, attended.output, norm1, dropout1, "attention", "middle");
    const TensorId inner = norm_first_ ? apply_norm(graph, norm2, middle, "output_normed") : middle;
    const TensorId fed = feed_forward.apply(graph, inner, "fed_forward");
    return {join(graph, middle, fed, norm2, dropout2, "output", "layer_output"), attended.weights};
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

  TensorId add_pooler(TensorId hidden) {
    const OpPtr& first = shared_op<FirstPosition>();
    const OpPtr& tanh = shared_op<Activation, Activation::Kind::kTanh>();
    const LinearModule dense = declare_linear(graph_, "pooler.dense", E_, E_, config_.flag("bias"));
    const TensorId token = graph_.add_step("first", "pool", first, {hidden}, "first_token");
    const TensorId projected = apply_linear(graph_, dense, "pool", token, "projected_token");
    return graph_.add_step("activate_pooled", "pool", tanh, {projected}, "pooled");
  }

  const Config& config_;
  const Span span_;
  const Dimension E_, H_;
  const bool norm_first_;
  const double share_, eps_;
  Graph graph_;
};

Graph build(const Config& config) { return Builder(config).run(); }

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
                   "input, or biases on the scores: ALiBi, T5's relative.",
                   {"none", "learned", "sinusoidal", "alibi", "relative"}, "learned"),
               boolean_field("pooler", "Whether a tanh layer pools the first position.", true),
               fields::dropout(0.1), fields::bias(), fields::dtype()},
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
