#pragma once

// How positions are told apart: the choices of the field `position`, and the fields beside it.

#include <optional>

#include "../ops/embedding.h"
#include "cache.h"

namespace attnscope {

Field position_field(std::vector<std::string_view> choices, Text fallback);

/// Throws FieldError for an odd width of heads where positions turn pairs.
void check_rotation(const Config& config, Text field, int64_t head_dim);

/// Throws FieldError where `length` positions, the value of `fields`, are more than learned
/// vectors, of which those before `offset` are of no position.
void check_positions(const Config& config, Text fields, int64_t length, int64_t offset = 0);

/// Whether x gets a vector for each position.
bool has_position_vectors(const Config& config);

/// The table (max_positions, features) of learned vectors where `position` asks for one.
std::optional<EmbeddingModule> declare_position_vectors(Graph& graph, const Config& config,
                                                        Text name, int64_t features);

/// x (B, T, E) plus a vector for each position, learned or sinusoidal, called `output`; x itself
/// where `position` asks for none. That of a sequence's first position stands at `offset`.
TensorId add_position_vectors(Graph& graph, const Config& config, const Span& span,
                              const std::optional<EmbeddingModule>& learned, TensorId x,
                              Text output, int64_t offset = 0);

/// What positions do to queries, keys and scores.
struct Positions {
  TensorId rotation = kNoTensor;  // (2, T, D), turns queries and keys; (4, T, D) where layers with
                                  // a window have a base of their own, the second
  TensorId bias = kNoTensor;      // (H, T, S), added to the scores
};

struct HeadShape {
  int64_t num_heads, head_dim;
};

/// Adds what `position` asks for within attention: "rope", "alibi", "relative". `like` lends its
/// number format. A table of relative positions is declared here, in the module `prefix`. Layers
/// with a window turn by `local_theta` where it is given, the others by rope_theta.
Positions add_positions(Graph& graph, const Config& config, const Span& span,
                        const HeadShape& heads, TensorId like, bool is_causal, Text prefix = "",
                        std::optional<double> local_theta = {});

}  // namespace attnscope
