#pragma once

// The token embedding that layers over a vocabulary begin with: their fields vocab_size and
// padding_idx.

#include "../ops/embedding.h"
#include "layer.h"

namespace attnscope {

/// Throws FieldError where the vocabulary has no token padding_idx.
void check_padding(const Config& config);

/// nn.Embedding(vocab_size, features, padding_idx=padding_idx), called `name`.
EmbeddingModule declare_words(Parameters& parameters, const Config& config, std::string_view name,
                              Dimension features);

}  // namespace attnscope
