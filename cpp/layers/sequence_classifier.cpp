// A sequence of tokens or features becomes one vector, and that classes or a number: the layer by
// which attention and dense layers are compared. Its parts follow each other, and each but the head
// can be left out: vectors for positions, an encoder, the pooling of all steps, the head.

#include <algorithm>
#include <iterator>
#include <variant>

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
#include "recurrent.h"
#include "scorer.h"
#include "stack.h"
#include "torch_transformer.h"
#include "words.h"

namespace attnscope {
namespace {

constexpr std::string_view kEncoders[] = {"none", "dense", "transformer"};  // and recurrent cells

std::vector<std::string_view> encoder_names() {
  std::vector<std::string_view> names(std::begin(kEncoders), std::end(kEncoders));
  for (const std::string_view cell : recurrent_cell_names()) names.push_back(cell);
  return names;
}

bool has_transformer(const Config& config) { return config.choice("encoder") == "transformer"; }

bool is_recurrent(const Config& config) {
  return std::ranges::find(kEncoders, config.choice("encoder")) == std::end(kEncoders);
}

/// The field that says how many features each step has where all are pooled; of a recurrent encoder
/// how many each direction has.
const char* pooled_width(const Config& config) {
  return config.choice("encoder") == "none" ? "input_size" : "hidden_size";
}

int64_t directions_of(const Config& config) { return config.flag("bidirectional") ? 2 : 1; }

/// Numbers that count beside other fields alone are passed over, as their meanings say; what asks
/// for something that is not there is refused.
void check(const Config& config) {
  const std::string_view activation = config.choice("activation");
  const std::optional<int64_t> padding = config.optional_integer("padding_idx");
  const bool transformer = has_transformer(config), recurrent = is_recurrent(config);
  if (!recurrent && config.flag("bidirectional")) {
    refuse("bidirectional", "bidirectional must be false where encoder is {}, got true",
           {config.choice("encoder")});
  }
  if (recurrent && config.integer("num_layers") > kMostRecurrentLayers) {
    refuse("num_layers", "num_layers must be at most {} where encoder is {}, got {}",
           {kMostRecurrentLayers, config.choice("encoder"), config.integer("num_layers")});
  }
  if (transformer || config.choice("pooling") == "multihead") {
    check_heads_divide(config, pooled_width(config), directions_of(config));
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

/// Multi-head attention of one learned query, the same for each sequence, to all steps.
struct HeadsPooling {
  Weight query;  // (1, features)
  Projections projections{};
};

/// How steps are pooled by what is learned; nothing where they are by a rule.
using Pooling = std::variant<std::monostate, LinearScores, AdditiveScores, GatedScores,
                             TimestepScores, HeadsPooling>;

/// The stack of PyTorch's own layers.
struct TransformerModules {
  int layers;
  TorchEncoderLayer layer;
};

struct Modules {
  Weight positions{};  // (T, features), where they are learned
  std::optional<EmbeddingModule> words{};
  std::optional<LinearModule> input{}, dense{};
  std::optional<TransformerModules> transformer{};
  std::optional<RecurrentModule> recurrent{};
  Pooling pooling{};
  DropoutModule dropout{};
  std::optional<LinearModule> hidden{};
  LinearModule head{};
};

/// Features of each step where positions are added.
Dimension placed_features(const Config& config) {
  return config.dimension(has_transformer(config) ? "hidden_size" : "input_size");
}

/// Features of each step where all are pooled.
Dimension pooled_features(const Config& config) {
  const Dimension features = config.dimension(pooled_width(config));
  return {directions_of(config) * features, features.axis};
}

TimestepScores::Options timestep_options(const Config& config) {
  const std::string_view activation = config.choice("score_activation");
  TimestepScores::Options options{.content = config.choice("score_by") == "content_and_position",
                                  .prefix = "score_"};
  if (activation == "none") options.activation = TimestepActivation::kNone;
  if (activation == "scaled_tanh") options.activation = TimestepActivation::kScaledTanh;
  return options;
}

/// The parameters of the layer itself, which PyTorch lists before those of its modules.
void declare_own(Modules& modules, Parameters& parameters, const Config& config) {
  constexpr double kDeviation = 0.1;  // of positions: small beside features of variance 1
  const std::string_view pooling = config.choice("pooling");
  const Dimension T = config.dimension("seq_len"), features = pooled_features(config);
  const int own = parameters.add_module("", "");
  const auto normal = [&](const char* name, const Shape& shape, double deviation) -> Weight {
    return {parameters.add(own, name, shape, Init{Init::Kind::kNormal, deviation})};
  };
  if (config.choice("position") == "learned") {
    modules.positions = normal("positions", {T, placed_features(config)}, kDeviation);
  }
  if (pooling == "multihead") {
    modules.pooling = HeadsPooling{normal("query", {{1, Axis::kQuery}, features}, 1.0)};
  }
  if (pooling == "timestep") {
    modules.pooling =
        declare_timestep_scores(parameters, own, T, features, timestep_options(config));
  }
}

TransformerModules declare_transformer(Parameters& parameters, const Config& config) {
  auto set = std::make_shared<Parameters>("SequenceEncoderLayer");
  TorchEncoderLayer layer = declare_torch_encoder_layer(*set, config);
  const auto times = static_cast<size_t>(config.integer("num_layers"));
  return {parameters.add_member({"encoder", {std::move(set)}, std::vector<int>(times, 0)}),
          std::move(layer)};
}

RecurrentModule declare_recurrent_encoder(Parameters& parameters, const Config& config) {
  const RecurrentShape shape = recurrent_shape(config, "encoder");
  const int module = parameters.add_module(
      "encoder", format("{}({})", {shape.cell.pytorch_class, recurrent_arguments(shape)}));
  return declare_recurrent(parameters, module, shape);
}

void declare_pooling(Pooling& pooling, Parameters& parameters, const Config& config) {
  const std::string_view kind = config.choice("pooling");
  const Dimension features = pooled_features(config), A = config.dimension("attn_dim");
  const bool bias = config.flag("bias");
  if (kind == "linear") pooling = declare_linear_scores(parameters, features, bias);
  if (kind == "additive") pooling = declare_additive_scores(parameters, features, A, bias);
  if (kind == "gated") pooling = declare_gated_scores(parameters, features, A, bias);
  if (HeadsPooling* heads = std::get_if<HeadsPooling>(&pooling)) {
    heads->projections = declare_projections(parameters, "", features, features, features, bias);
  }
}

Modules declare(Parameters& parameters, const Config& config) {
  const Dimension K = config.dimension("input_size"), placed = placed_features(config);
  const bool bias = config.flag("bias");
  Modules modules;
  declare_own(modules, parameters, config);
  if (config.choice("input") == "tokens") {
    modules.words = declare_words(parameters, config, "embedding", K);
  }
  if (K != placed) modules.input = declare_linear(parameters, "input_proj", K, placed, bias);
  Dimension features = pooled_features(config);
  if (config.choice("encoder") == "dense") {
    modules.dense = declare_linear(parameters, "encoder", placed, features, bias);
  }
  if (has_transformer(config)) modules.transformer = declare_transformer(parameters, config);
  if (is_recurrent(config)) {
    modules.recurrent.emplace(declare_recurrent_encoder(parameters, config));
  }
  declare_pooling(modules.pooling, parameters, config);
  modules.dropout = declare_dropout(parameters, "dropout", config.number("dropout"));
  if (config.choice("pooling") == "flatten") {
    features = {features * config.dimension("seq_len"), Axis::kFeature};
  }
  if (config.optional_integer("head_size")) {
    const Dimension width = config.dimension("head_size", 1);
    modules.hidden = declare_linear(parameters, "hidden", features, width, bias);
    features = width;
  }
  modules.head =
      declare_linear(parameters, "head", features, config.dimension("num_classes"), bias);
  return modules;
}

/// What a part makes of the steps, and the weights by which it attends; kNoTensor where it does
/// not.
struct Made {
  TensorId output, weights = kNoTensor;
};

class Forward {
 public:
  Forward(Graph& graph, const Modules& modules, const Config& config)
      : graph_(graph),
        modules_(modules),
        config_(config),
        B_(config.dimension("batch_size")),
        T_(config.dimension("seq_len")) {}

  void run() {
    const TensorId steps = add_positions(add_steps());
    mask_ = graph_.add_padding_mask("mask", {B_, T_});
    const Made encoded = encode(steps);
    const Made pooled = pool(encoded.output);
    graph_.add_result("output", add_head(pooled.output));
    if (pooled.weights != kNoTensor)
      graph_.add_result("weights", pooled.weights, {.weights = true});
    if (encoded.weights != kNoTensor)
      graph_.add_result("encoder_weights", encoded.weights, {.weights = true});
  }

 private:
  /// The sequence (B, T, features), as wide as transformer layers need it.
  TensorId add_steps() {
    TensorId x = kNoTensor;
    if (modules_.words) {
      const TensorId tokens =
          graph_.add_integer_input("tokens", {B_, T_}, config_.dimension("vocab_size"));
      x = apply_embedding(graph_, *modules_.words, tokens, "embedded");
    } else {
      x = graph_.add_input("features", {B_, T_, config_.dimension("input_size")});
    }
    if (!modules_.input) return x;
    return apply_linear(graph_, *modules_.input, "embed", x, "projected_input");
  }

  TensorId add_positions(TensorId x) {
    const OpPtr& add = shared_op<Add>();
    const std::string_view position = config_.choice("position");
    if (position == "none") return x;
    TensorId vectors;
    if (position == "sinusoidal") {
      const auto table = make_op<SinusoidalTable>(T_, placed_features(config_), 0);
      vectors = graph_.add_step("sinusoidal", "position", table, {x}, "sinusoids");
    } else {
      vectors = graph_.use(modules_.positions);
    }
    return graph_.add_step("add_position", "embed", add, {x, vectors}, "placed");
  }

  Made encode(TensorId x) {
    if (modules_.transformer) return add_transformer(*modules_.transformer, x);
    if (modules_.recurrent) return {add_recurrent_encoder(*modules_.recurrent, x)};
    if (!modules_.dense) return {x};
    return {add_dense(*modules_.dense, x, "encoded")};
  }

  TensorId add_recurrent_encoder(const RecurrentModule& recurrent, TensorId x) {
    const bool pooled_by_rule = std::holds_alternative<std::monostate>(modules_.pooling);
    return add_recurrent(graph_, recurrent, {.hidden_states = x, .mask = mask_},
                         {.function = "self.encoder",
                          .prefix = "encoder_",
                          .results = pooled_by_rule ? RecurrentCall::Results::kOutput
                                                    : RecurrentCall::Results::kContiguousOutput})
        .output;
  }

  /// A dense layer, and the config's activation after it; the result is called `output`.
  TensorId add_dense(const LinearModule& dense, TensorId x, std::string_view output) {
    const std::string_view activation = config_.choice("activation");
    const std::string_view part = graph_.parameters().module_name(dense.module);
    const bool linear = activation == "none";
    x = apply_linear(graph_, dense, part, x, linear ? output : format("{}_linear", {output}));
    if (linear) return x;
    return graph_.add_step(format("activate_{}", {output}), part, activation_named(activation), {x},
                           output);
  }

  /// Layers of PyTorch's own, one upon the other.
  Made add_transformer(const TransformerModules& transformer, TensorId x) {
    std::vector<StackedLayer> kinds;
    StackedLayer& layer = kinds.emplace_back(graph_, transformer.layers, 0, x, "encoder_");
    const TensorId mask = layer.graph().add_padding_mask("mask", {B_, T_});
    const Attended encoded = add_torch_encoder_layer(layer.graph(), transformer.layer, config_,
                                                     layer.carried(), mask, "hidden_states");
    layer.graph().add_result("hidden_states", encoded.output);
    layer.graph().add_result("weights", encoded.weights, {.weights = true});
    const std::vector<TensorId> layers = add_stack(graph_, transformer.layers, std::move(kinds));
    return {layers[0], layers[1]};
  }

  Made pool(TensorId x) {
    return std::visit([&](const auto& pooling) { return pool_by(pooling, x); }, modules_.pooling);
  }

  Made pool_by(std::monostate, TensorId x) {
    const std::string_view pooling = config_.choice("pooling");
    const OpPtr& op = pooling == "last"   ? shared_op<LastPosition>()
                      : pooling == "mean" ? shared_op<MeanPool>()
                      : pooling == "max"  ? shared_op<MaxPool>()
                                          : shared_op<Flatten>();
    return {graph_.add_step("pool", "combine", op, {x, mask_}, "pooled")};
  }

  Made pool_by(const HeadsPooling& heads, TensorId x) {
    const OpPtr& each_sequence = shared_op<EachSequence>();
    const OpPtr& only = shared_op<LastPosition>();
    const TensorId asked =
        graph_.add_step("ask", "project", each_sequence, {graph_.use(heads.query), x}, "asked");
    const Attended attended =
        add_projected_attention(graph_, heads.projections, {asked, x, x},
                                config_.dimension("num_heads"), {.key_mask = mask_}, "attended");
    return {graph_.add_step("pool", "combine", only, {attended.output}, "pooled"),
            attended.weights};
  }

  /// A sum under the weights that scores give.
  template <class Scores>
  Made pool_by(const Scores& scores, TensorId x) {
    const OpPtr& weighted_sum = shared_op<WeightedSum>();
    const TensorId weights = add_weights_of(graph_, add_scores(graph_, scores, x), mask_);
    return {graph_.add_step("pool", "combine", weighted_sum, {weights, x}, "pooled"), weights};
  }

  TensorId add_head(TensorId pooled) {
    TensorId x = apply_dropout(graph_, modules_.dropout, "classify", pooled, "dropped");
    if (modules_.hidden) x = add_dense(*modules_.hidden, x, "hidden_features");
    return apply_linear(graph_, modules_.head, "classify", x, "output");
  }

  Graph& graph_;
  const Modules& modules_;
  const Config& config_;
  const Dimension B_, T_;
  TensorId mask_ = kNoTensor;
};

void forward(Graph& graph, const Modules& modules, const Config& config) {
  Forward(graph, modules, config).run();
}

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
                      "sinusoidal or none; they count from the start of each sequence, so padding "
                      "goes to its end.",
                      {"none", "learned", "sinusoidal"}, "none"),
         choice_field("encoder",
                      "What each step becomes before pooling: itself, the same dense layer on each "
                      "step, transformer layers over all of them, or the states of a recurrent "
                      "layer that reads step by step (nn.LSTM, nn.GRU, nn.RNN with tanh or ReLU).",
                      encoder_names(), "none"),
         fields::dimension("hidden_size",
                           "With an encoder: features of each step that it makes; of a recurrent "
                           "encoder, units of each direction.",
                           16, Axis::kHidden),
         described("With a transformer or recurrent encoder: layers that follow each other.",
                   fields::num_layers(1)),
         boolean_field("bidirectional",
                       "With a recurrent encoder: whether a second direction reads from the last "
                       "step to the first; a step has the states of both side by side.",
                       false),
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
         described("Whether linear and recurrent layers and norms add a bias.", fields::bias()),
         fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
