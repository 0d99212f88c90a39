// A classifier of token sequences: one attention layer, then the mean of its positions. A mask says
// which tokens count: it hides the others as keys, and leaves them out of the mean.

#include "../ops/arithmetic.h"
#include "../ops/norm.h"
#include "../ops/pooling.h"
#include "fields.h"
#include "projections.h"
#include "words.h"

namespace attnscope {
namespace {

void check(const Config& config) {
  check_padding(config);
  check_heads_divide(config, "hidden_size");
}

struct Modules {
  EmbeddingModule embedding;
  Projections projections;
  DropoutModule weights_dropout;
  NormModule norm;
  LinearModule classify;
  DropoutModule dropout;
};

Modules declare(Parameters& parameters, const Config& config) {
  constexpr double kEps = 1e-5;  // nn.LayerNorm's default
  const Dimension E = config.dimension("hidden_size");
  const double share = config.number("dropout");
  const bool bias = config.flag("bias");
  return {declare_words(parameters, config, "embedding", E),
          declare_projections(parameters, "mha.", E, E, E, bias),
          declare_dropout(parameters, "mha.dropout", share),
          declare_layer_norm(parameters, "layer_norm", E, kEps),
          declare_linear(parameters, "fc", E, config.dimension("num_classes"), bias),
          declare_dropout(parameters, "dropout", share)};
}

void forward(Graph& graph, const Modules& modules, const Config& config) {
  const OpPtr& add = shared_op<Add>();
  const OpPtr& pool = shared_op<MeanPool>();
  const Dimension V = config.dimension("vocab_size");
  const Shape sequences{config.dimension("batch_size"), config.dimension("seq_len")};
  const TensorId tokens = graph.add_integer_input("tokens", sequences, V);
  const TensorId mask = graph.add_padding_mask("mask", sequences);
  const TensorId x = apply_embedding(graph, modules.embedding, tokens, "embedded");
  const Attended attended =
      add_projected_attention(graph, modules.projections, {x, x, x}, config.dimension("num_heads"),
                              {.dropout = modules.weights_dropout, .key_mask = mask}, "attended");
  const TensorId dropped =
      apply_dropout(graph, modules.dropout, "combine", attended.output, "dropped");
  const TensorId sum = graph.add_step("residual", "combine", add, {x, dropped}, "residual");
  const TensorId normed = apply_norm(graph, modules.norm, sum, "normed");
  const TensorId pooled = graph.add_step("pool", "combine", pool, {normed, mask}, "pooled");
  graph.add_result("output", apply_linear(graph, modules.classify, "classify", pooled, "output"));
  graph.add_result("weights", attended.weights, {.weights = true});
}

const Layer kLayer = {
    .name = "attention_classifier",
    .title = "Attention classifier",
    .group = "transformer",
    .place = 410,
    .summary =
        "Token embedding, multi-head attention, residual and norm, mean over positions, one linear "
        "layer.",
    .pytorch_class = "AttentionClassifier",
    .fields = {fields::batch_size(), fields::seq_len(), fields::vocab_size(5000),
               fields::padding_idx(), fields::hidden_size(128), fields::num_heads(4),
               fields::dimension("num_classes", "Classes to tell apart.", 2, Axis::kClass),
               fields::bias(), fields::dropout(0.1), fields::dtype()},
    .forward_graph = forward_graph<declare, forward>,
    .check = check,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
