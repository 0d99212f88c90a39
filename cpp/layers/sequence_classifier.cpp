// A sequence of tokens or features becomes one vector, and that classes or a number: the layer by
// which attention and dense layers are compared. Its parts follow each other, and each but the head
// can be left out: vectors for positions, an encoder, the pooling of all steps, the head.

#include "../ops/activation.h"
#include "../ops/arithmetic.h"
#include "../ops/each_sequence.h"
#include "../ops/flatten.h"
#include "../ops/last_position.h"
#include "../ops/pooling.h"
#include "../ops/positions.h"
#include "../ops/weighted_sum.h"
#include "fields.h"
#include "projections.h"
#include "scorer.h"
#include "stack.h"
#include "torch_transformer.h"
#include "words.h"

namespace attnscope {
namespace {

bool has_transformer(const Config& config) { return config.choice("encoder") == "transformer"; }

/// The field that says how many features each step has where all are pooled.
const char* pooled_width(const Config& config) {
  return config.choice("encoder") == "none" ? "input_size" : "hidden_size";
}

/// Numbers that count beside other fields alone are passed over, as their meanings say; what asks
/// for something that is not there is refused.
void check(const Config& config) {
  const std::string_view activation = config.choice("activation");
  const std::optional<int64_t> padding = config.optional_integer("padding_idx");
  const bool transformer = has_transformer(config);
  if (transformer || config.choice("pooling") == "multihead") {
    check_heads_divide(config, pooled_width(config));
  }
  if (transformer && activation != "relu" && activation != "gelu") {
    refuse("activation", "activation must be relu or gelu where encoder is transformer, got {}",
           {activation});
  }
  if (!transformer && config.flag("norm_first")) {
    refuse("norm_first", "norm_first must be false where encoder is not transformer, got true", {});
  }
  if (config.choice("input") == "tokens") {
    check_padding(config);
  } else if (padding) {
    refuse("padding_idx", "padding_idx must be null where input is features, got {}", {*padding});
  }
}

/// What a part makes of the steps, and the weights by which it attends; kNoTensor where it does
/// not.
struct Made {
  TensorId output, weights = kNoTensor;
};

class Builder {
 public:
  explicit Builder(const Config& config)
      : config_(config),
        B_(config.dimension("batch_size")),
        T_(config.dimension("seq_len")),
        placed_(config.dimension(has_transformer(config) ? "hidden_size" : "input_size")),
        pooled_(config.dimension(pooled_width(config))),
        bias_(config.flag("bias")) {}

  Graph run() {
    declare_own();
    const TensorId steps = add_positions(add_steps());
    mask_ = graph_.add_input("mask", {B_, T_}, Role::kOptionalInput);
    const Made encoded = encode(steps);
    const Made pooled = pool(encoded.output);
    graph_.add_result("output", add_head(pooled.output));
    if (pooled.weights != kNoTensor)
      graph_.add_result("weights", pooled.weights, {.weights = true});
    if (encoded.weights != kNoTensor)
      graph_.add_result("encoder_weights", encoded.weights, {.weights = true});
    return std::move(graph_);
  }

 private:
  /// The parameters of the layer itself, which PyTorch lists before those of its modules.
  void declare_own() {
    constexpr double kDeviation = 0.1;  // of positions: small beside features of variance 1
    const std::string_view pooling = config_.choice("pooling");
    const int own = graph_.add_module("", "");
    if (config_.choice("position") == "learned") {
      positions_ =
          graph_.add_parameter(own, "positions", {T_, placed_}, {Init::Kind::kNormal, kDeviation});
    }
    if (pooling == "multihead") {
      query_ = graph_.add_parameter(own, "query", {{1, Axis::kQuery}, pooled_},
                                    {Init::Kind::kNormal, 1.0});
    }
    if (pooling == "timestep") {
      timesteps_.emplace(graph_, own, T_, pooled_, timestep_options());
    }
  }

  TimestepScores::Options timestep_options() const {
    const std::string_view activation = config_.choice("score_activation");
    TimestepScores::Options options{.content = config_.choice("score_by") == "content_and_position",
                                    .prefix = "score_"};
    if (activation == "none") options.activation = TimestepActivation::kNone;
    if (activation == "scaled_tanh") options.activation = TimestepActivation::kScaledTanh;
    return options;
  }

  /// The sequence (B, T, features), as wide as transformer layers need it.
  TensorId add_steps() {
    const Dimension K = config_.dimension("input_size");
    TensorId x = kNoTensor;
    if (config_.choice("input") == "tokens") {
      const EmbeddingModule words = declare_words(graph_, config_, "embedding", K);
      const TensorId tokens =
          graph_.add_integer_input("tokens", {B_, T_}, config_.dimension("vocab_size"));
      x = apply_embedding(graph_, words, tokens, "embedded");
    } else {
      x = graph_.add_input("features", {B_, T_, K});
    }
    if (K == placed_) return x;
    const LinearModule project = declare_linear(graph_, "input_proj", K, placed_, bias_);
    return apply_linear(graph_, project, "embed", x, "projected_input");
  }

  TensorId add_positions(TensorId x) {
    const OpPtr& add = shared_op<Add>();
    const std::string_view position = config_.choice("position");
    if (position == "none") return x;
    TensorId vectors = positions_;
    if (position == "sinusoidal") {
      const auto table = make_op<SinusoidalTable>(T_, placed_, 0);
      vectors = graph_.add_step("sinusoidal", "position", table, {x}, "sinusoids");
    }
    return graph_.add_step("add_position", "embed", add, {x, vectors}, "placed");
  }

  Made encode(TensorId x) {
    const std::string_view encoder = config_.choice("encoder");
    if (encoder == "transformer") return add_transformer(x);
    return {encoder == "dense" ? add_dense("encoder", x, pooled_, "encoded") : x};
  }

  /// nn.Linear called `name`, and the config's activation after it; the result is called `output`.
  TensorId add_dense(std::string_view name, TensorId x, Dimension features,
                     std::string_view output) {
    const std::string_view activation = config_.choice("activation");
    const bool linear = activation == "none";
    const LinearModule dense =
        declare_linear(graph_, name, graph_.tensor(x).shape.back(), features, bias_);
    x = apply_linear(graph_, dense, name, x, linear ? output : format("{}_linear", {output}));
    if (linear) return x;
    return graph_.add_step(format("activate_{}", {output}), name, activation_named(activation), {x},
                           output);
  }

  /// Layers of PyTorch's own, one upon the other.
  Made add_transformer(TensorId x) {
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph_, "SequenceEncoderLayer", x, "encoder_");
    const TensorId mask = layer.graph().add_input("mask", {B_, T_}, Role::kOptionalInput);
    const Attended encoded =
        add_torch_encoder_layer(layer.graph(), config_, layer.carried(), mask, "hidden_states");
    layer.graph().add_result("hidden_states", encoded.output);
    layer.graph().add_result("weights", encoded.weights, {.weights = true});
    const size_t times = static_cast<size_t>(config_.integer("num_layers"));
    add_stack(graph_, "encoder", std::move(kinds), std::vector<int>(times, 0));
    const Call& layers = graph_.calls().back();
    return {layers.outputs[0], layers.outputs[1]};
  }

  Made pool(TensorId x) {
    const std::string_view pooling = config_.choice("pooling");
    const auto all = [&](const OpPtr& op) -> Made {
      return {graph_.add_step("pool", "combine", op, {x, mask_}, "pooled")};
    };
    if (pooling == "last") return all(shared_op<LastPosition>());
    if (pooling == "mean") return all(shared_op<MeanPool>());
    if (pooling == "max") return all(shared_op<MaxPool>());
    if (pooling == "flatten") return all(shared_op<Flatten>());
    if (pooling == "multihead") return pool_by_heads(x);
    const OpPtr& weighted_sum = shared_op<WeightedSum>();
    const TensorId weights = add_weights_of(graph_, add_scores(pooling, x), mask_);
    return {graph_.add_step("pool", "combine", weighted_sum, {weights, x}, "pooled"), weights};
  }

  TensorId add_scores(std::string_view pooling, TensorId x) {
    const Dimension A = config_.dimension("attn_dim");
    if (pooling == "linear") return add_linear_scores(graph_, x, bias_);
    if (pooling == "additive") return add_additive_scores(graph_, x, A, bias_);
    if (pooling == "gated") return add_gated_scores(graph_, x, A, bias_);
    return timesteps_->add(graph_, x);
  }

  /// Multi-head attention of one learned query, the same for each sequence, to all steps.
  Made pool_by_heads(TensorId x) {
    const OpPtr& each_sequence = shared_op<EachSequence>();
    const OpPtr& only = shared_op<LastPosition>();
    const Projections projections =
        declare_projections(graph_, "", pooled_, pooled_, pooled_, bias_);
    const TensorId asked = graph_.add_step("ask", "project", each_sequence, {query_, x}, "asked");
    const Attended attended =
        add_projected_attention(graph_, projections, {asked, x, x}, config_.dimension("num_heads"),
                                {.key_mask = mask_}, "attended");
    return {graph_.add_step("pool", "combine", only, {attended.output}, "pooled"),
            attended.weights};
  }

  TensorId add_head(TensorId pooled) {
    const DropoutModule dropout = declare_dropout(graph_, "dropout", config_.number("dropout"));
    TensorId x = apply_dropout(graph_, dropout, "classify", pooled, "dropped");
    if (config_.optional_integer("head_size")) {
      x = add_dense("hidden", x, config_.dimension("head_size", 1), "hidden_features");
    }
    const LinearModule head = declare_linear(graph_, "head", graph_.tensor(x).shape.back(),
                                             config_.dimension("num_classes"), bias_);
    return apply_linear(graph_, head, "classify", x, "output");
  }

  const Config& config_;
  const Dimension B_, T_, placed_, pooled_;  // features where positions are added, where all pool
  const bool bias_;
  Graph graph_;
  TensorId mask_ = kNoTensor, positions_ = kNoTensor, query_ = kNoTensor;
  std::optional<TimestepScores> timesteps_;
};

Graph build(const Config& config) { return Builder(config).run(); }

const Layer kLayer = {
    .name = "sequence_classifier",
    .title = "Sequence classifier",
    .group = "transformer",
    .place = 405,
    .summary =
        "Tokens or features become one vector, by attention or by dense layers, and the vector "
        "classes or a number.",
    .pytorch_class = "SequenceClassifier",
    .fields =
        {fields::batch_size(64),
         over(Axis::kPosition,
              integer_field("seq_len", "Steps of each sequence.", 30, 1, fields::kMaxDimension)),
         choice_field("input",
                      "What each step is: features, or a token that an embedding gives features.",
                      {"features", "tokens"}, "features"),
         fields::dimension("input_size",
                           "Features of each step, as they come in or as the embedding has them.",
                           8, Axis::kHidden),
         described("With tokens: how many different ones there are, rows of the embedding.",
                   fields::vocab_size(1000)),
         described(
             "With tokens: the one that fills sequences up; its row of the embedding begins as "
             "zeros and gets no gradient through it (nn.Embedding's padding_idx); null: none.",
             fields::padding_idx()),
         choice_field("position",
                      "Vectors that are added to the steps, one for each position: learned, "
                      "sinusoidal or none.",
                      {"none", "learned", "sinusoidal"}, "none"),
         choice_field("encoder",
                      "What each step becomes before pooling: itself, the same dense layer on each "
                      "step, or transformer layers over all of them.",
                      {"none", "dense", "transformer"}, "none"),
         fields::dimension("hidden_size", "With an encoder: features of each step that it makes.",
                           16, Axis::kHidden),
         described("With encoder transformer: layers that follow each other.",
                   fields::num_layers(1)),
         choice_field("pooling",
                      "How all steps become one vector: the last one, their mean or maximum, a sum "
                      "under weights (linear, additive, gated, timestep), attention of one learned "
                      "query (multihead), or all side by side (flatten).",
                      {"last", "mean", "max", "linear", "additive", "gated", "timestep",
                       "multihead", "flatten"},
                      "linear"),
         described("With pooling additive or gated: width of the tanh layer before the score.",
                   fields::attn_dim(16)),
         choice_field("score_by", "With pooling timestep: what the score of a step depends on.",
                      {"content_and_position", "position"}, "content_and_position"),
         choice_field("score_activation",
                      "With pooling timestep: function of the score: none, tanh, or tanh times a "
                      "learned factor.",
                      {"none", "tanh", "scaled_tanh"}, "tanh"),
         described(
             "With encoder transformer or pooling multihead: attention heads that work side by "
             "side.",
             fields::num_heads(2)),
         described("With encoder transformer: width of the feed-forward network.",
                   fields::intermediate_size(64)),
         choice_field("activation",
                      "Function of every dense layer before the last one, and of the feed-forward "
                      "network of transformer layers.",
                      {"none", "tanh", "relu", "gelu"}, "relu"),
         boolean_field("norm_first",
                       "With encoder transformer: whether each part is normed before it, or its "
                       "sum after it.",
                       false),
         described("With encoder transformer: added to what norms take the root of.",
                   fields::norm_eps(1e-5)),
         optional(fields::dimension(
             "head_size", "Features of a dense layer before the last one; null: no such layer.",
             8)),
         fields::dimension("num_classes", "Classes to tell apart; 1 for a number.", 2,
                           Axis::kClass),
         fields::dropout(0),
         described("Whether linear layers and norms add a bias.", fields::bias()),
         fields::dtype()},
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
