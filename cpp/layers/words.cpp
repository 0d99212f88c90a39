#include "words.h"

namespace attnscope {

void check_padding(const Config& config) {
  const std::optional<int64_t> padding = config.optional_integer("padding_idx");
  const Dimension V = config.dimension("vocab_size");
  if (!padding || *padding < V) return;
  refuse("padding_idx", "padding_idx must be less than vocab_size ({}), got {}", {V, *padding});
}

EmbeddingModule declare_words(Parameters& parameters, const Config& config, std::string_view name,
                              Dimension features) {
  return declare_embedding(parameters, name, config.dimension("vocab_size"), features,
                           config.optional_integer("padding_idx"));
}

}  // namespace attnscope
