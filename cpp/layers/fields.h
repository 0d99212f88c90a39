#pragma once

// The fields that layers share, each written once: same name, meaning and range everywhere.

#include "../graph/dtype.h"
#include "field.h"

namespace attnscope::fields {

/// The largest dimension: four of them multiply to less than 2^127, so counts stay exact.
inline constexpr int64_t kMaxDimension = 2147483647;
/// Token ids are float32 inside the core, which holds integers up to 2^24 exactly.
inline constexpr int64_t kMaxVocabulary = int64_t{1} << 24;
inline constexpr int64_t kMaxLayers = 1024;

/// A dimension over features, unless it says otherwise.
inline Field dimension(const char* name, const char* meaning, int64_t fallback,
                       Axis axis = Axis::kFeature) {
  return over(axis, integer_field(name, meaning, fallback, 1, kMaxDimension));
}

inline Field batch_size(int64_t fallback = 32) {
  return dimension("batch_size", "Sequences that are computed together.", fallback, Axis::kBatch);
}
inline Field seq_len() {
  return dimension("seq_len", "Positions (tokens) of each sequence.", 128, Axis::kPosition);
}
inline Field hidden_size(int64_t fallback = 768) {
  return dimension("hidden_size", "Features of each position's hidden state.", fallback,
                   Axis::kHidden);
}
inline Field attn_dim(int64_t fallback = 128) {
  return dimension("attn_dim", "Width of the tanh layer before the score.", fallback);
}
inline Field kv_len() {
  return optional(dimension("kv_len",
                            "Positions that the queries attend to: keys and values; null: seq_len.",
                            128, Axis::kKey));
}
inline Field num_heads(int64_t fallback = 12) {
  return over(Axis::kHead,
              sampled({1, 2, 3, 17, 5, 6, 4},
                      integer_field("num_heads", "Attention heads that work side by side.",
                                    fallback, 1, 65536)));
}
inline Field num_kv_heads() {
  return over(
      Axis::kKvHead,
      sampled({1, 2, 3},
              integer_field(
                  "num_kv_heads",
                  "Heads of keys and values, each shared by num_heads / num_kv_heads query heads.",
                  4, 1, 65536)));
}
/// Where there are as many as num_heads by default.
inline Field free_num_kv_heads() {
  return optional(
      over(Axis::kKvHead,
           integer_field("num_kv_heads",
                         "Heads of keys and values, each shared by num_heads / num_kv_heads query "
                         "heads; null: as many as num_heads.",
                         1, 1, 65536)));
}
inline Field head_dim() {
  return dimension("head_dim", "Features of each head.", 64, Axis::kHeadFeature);
}
/// Where the width of a head follows from others.
inline Field free_head_dim() {
  return optional(dimension("head_dim", "Features of each head; null: hidden_size / num_heads.", 64,
                            Axis::kHeadFeature));
}
inline Field kdim() {
  return optional(dimension("kdim", "Features of each key; null: hidden_size.", 1));
}
inline Field intermediate_size(int64_t fallback) {
  return dimension("intermediate_size", "Width of the feed-forward network.", fallback);
}
inline Field num_layers(int64_t fallback, int64_t most = kMaxLayers) {
  return sampled({1, 2, 3},
                 integer_field("num_layers", "Layers that follow each other.", fallback, 1, most));
}
inline Field vocab_size(int64_t fallback) {
  return over(Axis::kVocabulary,
              integer_field("vocab_size", "Different tokens: rows of the embedding.", fallback, 1,
                            kMaxVocabulary));
}
inline Field padding_idx() {
  return optional(sampled(
      {0, 1, 2},
      integer_field("padding_idx",
                    "Token that fills sequences up: its row of the embedding begins as zeros and "
                    "gets no gradient through it (nn.Embedding's padding_idx); null: none.",
                    0, 0, kMaxVocabulary - 1)));
}
inline Field past_len() {
  return integer_field("past_len", "Positions already in the KV cache, before this call's.", 0, 0,
                       kMaxDimension);
}
inline Field bias() { return boolean_field("bias", "Whether the linear layers add a bias.", true); }
inline Field max_positions(int64_t fallback) {
  return dimension("max_positions",
                   "Positions that the model is made for: with learned positions the rows of their "
                   "table, which no sequence may pass; others have no table.",
                   fallback, Axis::kPosition);
}
inline Field is_causal(bool fallback) {
  return boolean_field("is_causal", "Whether a position attends only to itself and those before.",
                       fallback);
}
inline Field window() {
  return optional(dimension(
      "window",
      "A query attends to keys less than this many positions away (sliding window); null: to all.",
      1));
}
inline Field scale() {
  return optional(above_min(sampled(
      {0.3, 0.125, 1, 2},
      number_field("scale", "What the dot products are multiplied by; null: 1 / sqrt(head_dim).", 1,
                   0, 1e6))));
}
inline Field softcap(const char* name, const char* meaning) {
  return optional(above_min(sampled({0.5, 4, 50}, number_field(name, meaning, 50, 0, 1e6))));
}
inline Field dropout(double fallback,
                     const char* meaning =
                         "Share of numbers that training sets to zero; a forward pass sets none.") {
  return sampled({0.5, 0.1, 0}, number_field("dropout", meaning, fallback, 0, 0.999));
}
inline Field norm_eps(double fallback) {
  return sampled({0.01, 1e-6, 1e-5, 1e-12},
                 number_field("norm_eps", "Added to what norms take the root of.", fallback, 0, 1));
}
inline Field rope_theta() {
  return sampled(
      {100, 10000, 500000},
      number_field("rope_theta", "Base of the wavelengths of rotary positions.", 10000, 1, 1e12));
}
/// The names that dtype_from() knows.
inline std::vector<std::string_view> dtype_names() {
  std::vector<std::string_view> names;
  for (const NumberFormat& format : kNumberFormats) names.push_back(format.name);
  return names;
}
inline Field dtype() {
  return choice_field("dtype",
                      "Number format that estimates count bytes in; running is in float32.",
                      dtype_names(), "float32");
}

}  // namespace attnscope::fields
