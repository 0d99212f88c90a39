#include "attention.h"

#include "../ops/arithmetic.h"
#include "../ops/heads.h"
#include "../ops/matmul.h"
#include "../ops/softcap.h"

namespace attnscope {
namespace {

TensorId repeated(Graph& graph, TensorId heads, int64_t num_heads, std::string_view output) {
  const int64_t times = num_heads / graph.tensor(heads).shape[1];
  if (times == 1) return heads;
  return graph.add_step(output, "score", make_op<RepeatHeads>(times), {heads}, output);
}

}  // namespace

Attended add_attention(Graph& graph, TensorId query, TensorId key, TensorId value,
                       const AttentionOptions& options, std::string_view output) {
  const auto dot = make_op<Matmul>(Matmul::Right::kTransposed, options.band);
  const auto weigh = make_op<Matmul>(Matmul::Right::kPlain, options.band);
  const OpPtr& add = shared_op<Add>();
  const std::string& prefix = options.prefix;

  const Shape shape = graph.tensor(query).shape;
  if (shape.size() == 4) {
    key = repeated(graph, key, shape[1], format("{}repeated_key", {prefix}));
    value = repeated(graph, value, shape[1], format("{}repeated_value", {prefix}));
  }
  const Scale scale = options.scale ? Scale(*options.scale) : Scale::by_root_of(shape.back());
  TensorId scores = graph.add_step(format("{}dot", {prefix}), "score", dot, {query, key},
                                   format("{}products", {prefix}));
  const std::string unbiased = prefix + (options.bias == kNoTensor ? "scores" : "scaled");
  scores = graph.add_step(format("{}scale", {prefix}), "score", make_op<Scale>(scale), {scores},
                          options.softcap ? format("{}uncapped", {prefix}) : unbiased);
  if (options.softcap) {
    scores = graph.add_step(format("{}softcap", {prefix}), "score",
                            make_op<Softcap>(*options.softcap), {scores}, unbiased);
  }
  if (options.bias != kNoTensor) {
    scores = graph.add_step(format("{}add_bias", {prefix}), "score", add, {scores, options.bias},
                            format("{}scores", {prefix}));
  }
  TensorId mask = options.key_mask;
  if (mask == kNoTensor) {
    Shape visible = graph.tensor(scores).shape;
    visible.back().size -= options.band.tail;
    mask = graph.add_input(options.mask, visible, Role::kOptionalInput);
  }
  const MaskOf mask_of = options.key_mask == kNoTensor ? MaskOf::kScores : MaskOf::kKeys;
  const TensorId weights = graph.add_step(format("{}normalize", {prefix}), "normalize",
                                          make_op<Softmax>(options.band, mask_of), {scores, mask},
                                          format("{}weights", {prefix}));
  const TensorId dropped = apply_dropout(graph, options.dropout, "normalize", weights,
                                         format("{}dropped_weights", {prefix}));
  return {graph.add_step(format("{}combine", {prefix}), "combine", weigh, {dropped, value}, output),
          weights};
}

void check_heads_divide(const Config& config, const char* field, int64_t directions) {
  const Dimension whole = directions * config.integer(field), H = config.dimension("num_heads");
  if (whole % H == 0) return;
  refuse("num_heads", "num_heads must divide {}{} ({}), got {}",
         {directions > 1 ? "twice " : "", field, whole, H});
}

Dimension kv_heads_of(const Config& config) {
  return config.dimension("num_kv_heads", config.dimension("num_heads"));
}

Dimension kv_len_of(const Config& config) {
  return config.dimension("kv_len", as_key(config.dimension("seq_len")));
}

void check_groups(int64_t num_heads, int64_t num_kv_heads) {
  if (num_heads % num_kv_heads == 0) return;
  refuse("num_kv_heads", "num_kv_heads must divide num_heads ({}), got {}",
         {num_heads, num_kv_heads});
}

Band band_of(const Config& config, int64_t offset) {
  return {.is_causal = config.flag("is_causal"),
          .window = config.optional_integer("window"),
          .offset = offset};
}

}  // namespace attnscope
