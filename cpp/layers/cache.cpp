#include "cache.h"

#include <algorithm>

#include "../ops/concat.h"

namespace attnscope {

Span span_of(const Config& config, std::optional<int64_t> window) {
  const int64_t past = config.integer("past_len");
  const int64_t cached = window ? std::min(past, *window - 1) : past;
  return {config.dimension("seq_len"), past, cached, window};
}

TensorId add_cached(Graph& graph, std::string_view name, TensorId fresh, const Span& span) {
  Shape shape = graph.tensor(fresh).shape;
  const size_t positions = shape.size() - 2;
  TensorId past = kNoTensor, present = fresh;
  if (span.cached > 0) {
    shape[positions].size = span.cached;
    past = graph.add_input(format("past_{}", {name}), shape);
    const auto append = make_op<Concat>(static_cast<int>(positions));
    present = graph.add_step(format("append_{}", {name}), "cache", append, {past, fresh},
                             format("all_{}s", {name}));
  }
  graph.add_state({.rule = StateUse::Rule::kAppended,
                   .name = std::string(name),
                   .before = past,
                   .after = present,
                   .new_positions = span.seq_len,
                   .window = span.window});
  graph.advance("past_len", span.seq_len);
  return present;
}

}  // namespace attnscope
