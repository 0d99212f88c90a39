#pragma once

// How positions are told apart: the choices of the field `position`, and the fields beside it.

#include <optional>

#include "../ops/embedding.h"
#include "cache.h"

namespace attnscope {

/// `meaning` tells of these choices alone.
Field position_field(const char* meaning, std::vector<std::string_view> choices,
                     const char* fallback);

/// Throws FieldError for an odd number of features of each head where positions are rotary: they
/// turn features in pairs.
void check_rotation(const Config& config, std::string_view field, int64_t features);

/// Throws FieldError where the table of learned vectors has too few for `length` positions, the
/// value of `fields`, of which the first has the vector at `offset`.
void check_positions(const Config& config, std::string_view fields, int64_t length,
                     int64_t offset = 0);

/// Whether x gets a vector for each position.
bool has_position_vectors(const Config& config);

/// The table (max_positions, features) of learned vectors where `position` asks for one.
std::optional<EmbeddingModule> declare_position_vectors(Parameters& parameters,
                                                        const Config& config, std::string_view name,
                                                        Dimension features);

/// x (B, T, E) plus a vector for each position, learned or sinusoidal, called `output`; x itself
/// where `position` asks for none. That of a sequence's first position stands at `offset`.
TensorId add_position_vectors(Graph& graph, const Config& config, const Span& span,
                              const std::optional<EmbeddingModule>& learned, TensorId x,
                              std::string_view output, int64_t offset = 0);

/// What positions do to queries, keys and scores.
struct Positions {
  TensorId rotation = kNoTensor;  // (2, T, rotary_dim), turns queries and keys
  TensorId bias = kNoTensor;      // (H, T, S), added to the scores
};

/// The table of relative positions in the module `prefix`, a bias for each head, where `position`
/// asks for one.
std::optional<EmbeddingModule> declare_relative_bias(Parameters& parameters, const Config& config,
                                                     Dimension num_heads,
                                                     std::string_view prefix = "");

/// Adds what `position` asks for within attention: "rope", "alibi", "relative".
class PositionSteps {
 public:
  /// What is made has the number format of `like`. `table`: what declare_relative_bias() gave.
  /// `rotary_dim`: of rotary positions, the features of each head that they turn.
  PositionSteps(Graph& graph, const Config& config, Dimension num_heads, int64_t rotary_dim,
                TensorId like, bool is_causal, const std::optional<EmbeddingModule>& table);

  /// For attention over this span; rotations turn by `theta`. `prefix` begins the tensors' names.
  Positions add(const Span& span, double theta, std::string_view prefix = "") const;

  /// Whether add() makes the same of both, so that one can serve for both.
  bool alike(const Span& a, double theta_a, const Span& b, double theta_b) const;

 private:
  Graph& graph_;
  const std::string_view position_;
  const Dimension num_heads_;
  const int64_t rotary_dim_;
  const TensorId like_;
  const bool is_causal_;
  const std::optional<EmbeddingModule> table_;
};

}  // namespace attnscope
