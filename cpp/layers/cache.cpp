#include "cache.h"

#include <algorithm>

#include "../ops/concat.h"

namespace attnscope {

Span span_of(const Config& config, int64_t full_every) {
  const int64_t past = config.integer("past_len");
  Span span{config.integer("seq_len"), past, past, config.optional_integer("window"), full_every};
  if (span.window && full_every == 0) span.cached = std::min(past, *span.window - 1);
  return span;
}

TensorId add_cached(Graph& graph, Text name, TensorId fresh, const Span& span) {
  Shape shape = graph.tensor(fresh).shape;
  const size_t positions = shape.size() - 2;
  int64_t elements = 1;  // of a token
  for (size_t i = 1; i < shape.size(); ++i) elements *= i == positions ? 1 : shape[i];
  TensorId past = kNoTensor, present = fresh;
  if (span.cached > 0) {
    shape[positions] = span.cached;
    past = graph.add_repeated_input(format("past_{}", {name}), shape);
    const auto append = std::make_shared<const Concat>(static_cast<int>(positions));
    present = graph.add_step(format("append_{}", {name}), "cache", append, {past, fresh},
                             format("all_{}s", {name}));
  }
  graph.add_cache({past, present, span.seq_len, elements, span.window, span.full_every});
  return present;
}

}  // namespace attnscope
