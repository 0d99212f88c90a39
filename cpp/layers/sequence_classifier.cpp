// A sequence of tokens or features, as one vector, as classes or numbers: what attention is compared
// with dense layers by. Four parts follow each other, each of which may be left out but the last:
// vectors for positions, an encoder of each step, the pooling of all steps, a head.

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

/// Features of each step where they are pooled.
Dimension pooled_width(const Config& config) {
  return config.choice("encoder") == "none" ? config.dimension("input_size")
                                            : config.dimension("hidden_size");
}

void check(const Config& config) {
  const std::string_view activation = config.choice("activation");
  if (has_transformer(config)) {
    check_heads_divide(config, "hidden_size");
  } else if (config.choice("pooling") == "multihead") {
    check_heads_divide(config, config.choice("encoder") == "none" ? "input_size" : "hidden_size");
  }
  if (has_transformer(config) && activation != "relu" && activation != "gelu") {
    refuse("activation", "activation must be relu or gelu where encoder is transformer, got {}",
           {activation});
  }
  if (config.choice("input") == "tokens") check_padding(config);
}

/// Features of each step where the encoder is given it.
Dimension placed_width(const Config& config) {
  return config.dimension(has_transformer(config) ? "hidden_size" : "input_size");
}

/// What pooling makes of a sequence, and the weights by which it does; kNoTensor where it has none.
struct Pooled {
  TensorId output, weights = kNoTensor;
};

class Builder {
 public:
  explicit Builder(const Config& config)
      : config_(config),
        B_(config.dimension("batch_size")),
        T_(config.dimension("seq_len")),
        bias_(config.flag("bias")) {}

  Graph run() {
    declare_own();
    TensorId x = add_steps();
    mask_ = graph_.add_input("mask", {B_, T_}, Role::kOptionalInput);
    TensorId encoder_weights = kNoTensor;
    if (config_.choice("encoder") == "dense") {
      x = add_dense("encoder", x, config_.dimension("hidden_size"), "encoded");
    } else if (has_transformer(config_)) {
      add_transformer(x);
      const Call& layers = graph_.calls().back();
      x = layers.outputs[0];
      encoder_weights = layers.outputs[1];
    }
    const Pooled pooled = pool(x);
    graph_.add_result("output", add_head(pooled.output));
    if (pooled.weights != kNoTensor) graph_.add_weights("weights", pooled.weights);
    if (encoder_weights != kNoTensor) graph_.add_weights("encoder_weights", encoder_weights);
    return std::move(graph_);
  }

 private:
  /// The parameters of the layer itself, which PyTorch's constructor makes before its modules.
  void declare_own() {
    constexpr double kDeviation = 0.1;  // of positions: small beside features of variance 1
    const std::string_view pooling = config_.choice("pooling");
    const int own = graph_.add_module("", "");
    if (config_.choice("position") == "learned") {
      positions_ = graph_.add_parameter(own, "positions", {T_, placed_width(config_)},
                                        {Init::Kind::kNormal, kDeviation});
    }
    if (pooling == "multihead") {
      query_ = graph_.add_parameter(own, "query", {{1, Axis::kQuery}, pooled_width(config_)},
                                    {Init::Kind::kNormal, 1.0});
    }
    if (pooling == "timestep") {
      const std::string_view activation = config_.choice("score_activation");
      timesteps_.emplace(graph_, own, T_, pooled_width(config_),
                         TimestepScores::Options{
                             .content = config_.choice("score_by") == "content_and_position",
                             .activation = activation == "none"   ? TimestepActivation::kNone
                                           : activation == "tanh" ? TimestepActivation::kTanh
                                                                  : TimestepActivation::kScaledTanh,
                             .prefix = "score_"});
    }
  }

  /// The sequence (B, T, features) as its encoder is given it.
  TensorId add_steps() {
    const Dimension K = config_.dimension("input_size"), E = config_.dimension("hidden_size");
    TensorId x = kNoTensor;
    if (config_.choice("input") == "tokens") {
      const EmbeddingModule words = declare_words(graph_, config_, "embedding", K);
      const TensorId tokens =
          graph_.add_integer_input("tokens", {B_, T_}, config_.dimension("vocab_size"));
      x = apply_embedding(graph_, words, tokens, "embedded");
    } else {
      x = graph_.add_input("features", {B_, T_, K});
    }
    if (has_transformer(config_) && K != E) {
      const LinearModule project = declare_linear(graph_, "input_proj", K, E, bias_);
      x = apply_linear(graph_, project, "embed", x, "projected_input");
    }
    return add_positions(x);
  }

  TensorId add_positions(TensorId x) {
    const OpPtr& add = shared_op<Add>();
    const std::string_view position = config_.choice("position");
    if (position == "none") return x;
    TensorId vectors = positions_;
    if (position == "sinusoidal") {
      const auto table = make_op<SinusoidalTable>(T_, graph_.tensor(x).shape.back(), 0);
      vectors = graph_.add_step("sinusoidal", "position", table, {x}, "sinusoids");
    }
    return graph_.add_step("add_position", "embed", add, {x, vectors}, "placed");
  }

  /// nn.Linear and the config's activation after it; the result is called `output`.
  TensorId add_dense(std::string_view name, TensorId x, Dimension features,
                     std::string_view output) {
    const std::string_view activation = config_.choice("activation");
    const bool linear = activation == "none";
    const LinearModule dense =
        declare_linear(graph_, name, graph_.tensor(x).shape.back(), features, bias_);
    x = apply_linear(graph_, dense, name, x, linear ? output : format("{}_linear", {output}));
    if (linear) return x;
    return graph_.add_step(format("activate_{}", {output}), name, activation_named(activation),
                           {x}, output);
  }

  void add_transformer(TensorId x) {
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph_, "EncoderLayer", x);
    const TensorId mask = layer.graph().add_input("mask", {B_, T_}, Role::kOptionalInput);
    const Attended encoded =
        add_torch_encoder_layer(layer.graph(), config_, layer.carried(), mask, "hidden_states");
    layer.graph().add_result("hidden_states", encoded.output);
    layer.graph().add_weights("encoder_weights", encoded.weights);
    const size_t times = static_cast<size_t>(config_.integer("num_layers"));
    add_stack(graph_, "encoder", std::move(kinds), std::vector<int>(times, 0));
  }

  Pooled pool(TensorId x) {
    const std::string_view pooling = config_.choice("pooling");
    const auto apply = [&](const OpPtr& op) -> Pooled {
      return {graph_.add_step("pool", "combine", op, {x, mask_}, "pooled")};
    };
    if (pooling == "last") return apply(shared_op<LastPosition>());
    if (pooling == "mean") return apply(shared_op<MeanPool>());
    if (pooling == "max") return apply(shared_op<MaxPool>());
    if (pooling == "flatten") return apply(shared_op<Flatten>());
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

  /// Multi-head attention of one learned query to all steps.
  Pooled pool_by_heads(TensorId x) {
    const OpPtr& only = shared_op<LastPosition>();
    const Dimension E = graph_.tensor(x).shape.back();
    const Projections projections = declare_projections(graph_, "", E, E, E, bias_);
    const OpPtr& each_sequence = shared_op<EachSequence>();
    const TensorId asked = graph_.add_step("ask", "project", each_sequence, {query_, x}, "asked");
    const Attended attended =
        add_projected_attention(graph_, projections, {asked, x, x}, config_.dimension("num_heads"),
                                {.key_mask = mask_}, "attended");
    return {graph_.add_step("pool", "combine", only, {attended.output}, "pooled"),
            attended.weights};
  }

  TensorId add_head(TensorId pooled) {
    TensorId x = pooled;
    if (config_.optional_integer("head_size")) {
      x = add_dense("hidden", x, config_.dimension("head_size", 1), "hidden_features");
    }
    const LinearModule head = declare_linear(graph_, "head", graph_.tensor(x).shape.back(),
                                             config_.dimension("num_classes"), bias_);
    return apply_linear(graph_, head, "classify", x, "output");
  }

  const Config& config_;
  const Dimension B_, T_;
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
        "A sequence of tokens or features becomes one vector, by attention or by dense layers, and "
        "that classes or a number.",
    .pytorch_class = "SequenceClassifier",
    .fields =
        {fields::batch_size(64),
         over(Axis::kPosition,
              integer_field("seq_len", "Steps of each sequence.", 30, 1, fields::kMaxDimension)),
         choice_field("input", "What each step is: features, or a token with an embedding.",
                      {"features", "tokens"}, "features"),
         fields::dimension("input_size", "Features of each step, or of each token's embedding.", 8,
                           Axis::kHidden),
         fields::vocab_size(1000),
         fields::padding_idx(),
         choice_field("position", "Vectors that are added to the steps, one for each position.",
                      {"none", "learned", "sinusoidal"}, "none"),
         choice_field("encoder",
                      "What each step becomes before pooling: itself, the same dense layer on each "
                      "step, or transformer layers over all of them.",
                      {"none", "dense", "transformer"}, "none"),
         fields::dimension("hidden_size", "Features of each step behind the encoder.", 16,
                           Axis::kHidden),
         fields::num_layers(1),
         choice_field("pooling",
                      "How all steps become one vector: one of them, their mean or maximum, under "
                      "weights by a score, or side by side.",
                      {"last", "mean", "max", "linear", "additive", "gated", "timestep",
                       "multihead", "flatten"},
                      "linear"),
         fields::attn_dim(16),
         choice_field("score_by", "What a time step's score depends on where pooling is timestep.",
                      {"content_and_position", "position"}, "content_and_position"),
         choice_field("score_activation",
                      "Function of a time step's score: none, tanh, or tanh times a learned "
                      "factor.",
                      {"none", "tanh", "scaled_tanh"}, "tanh"),
         fields::num_heads(2),
         fields::intermediate_size(64),
         choice_field("activation",
                      "Function of dense layers, between those of a feed-forward network too.",
                      {"none", "tanh", "relu", "gelu"}, "relu"),
         boolean_field("norm_first",
                       "Whether each part of a transformer layer is normed before it, or its sum "
                       "after it.",
                       false),
         fields::norm_eps(1e-5),
         optional(fields::dimension(
             "head_size", "Features of a dense layer before the last one; null: no such layer.",
             8)),
         fields::dimension("num_classes", "Classes to tell apart; 1 for a number.", 2,
                           Axis::kClass),
         fields::dropout(0),
         fields::bias(),
         fields::dtype()},
    .build = build,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
