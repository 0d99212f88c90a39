#pragma once

// The fields that layers share, each written once: same name, meaning and range everywhere.

#include "field.h"

namespace attnscope::fields {

/// The largest dimension: four of them multiply to less than 2^127, so counts stay exact.
inline constexpr int64_t kMaxDimension = 2147483647;

inline Field dimension(std::string_view name, std::string_view meaning, int64_t fallback) {
  return {name, meaning, fallback, 1, kMaxDimension};
}

inline Field batch_size() {
  return dimension("batch_size", "Sequences that are computed together.", 32);
}
inline Field seq_len() { return dimension("seq_len", "Positions (tokens) of each sequence.", 128); }
inline Field hidden_size() {
  return dimension("hidden_size", "Features of each position: the encoder's width.", 768);
}
inline Field attn_dim() {
  return dimension("attn_dim", "Width of the tanh layer between hidden state and score.", 128);
}
inline Field kv_len() {
  return dimension("kv_len", "Positions that the queries attend to: keys and values.", 128);
}
inline Field num_heads() {
  return {"num_heads", "Attention heads that work side by side.", int64_t{12}, 1, 65536};
}
inline Field head_dim() { return dimension("head_dim", "Features of each head.", 64); }
inline Field bias() { return {"bias", "Whether the linear layers add a bias.", true}; }
/// The names that dtype_from() knows.
inline std::vector<std::string_view> dtype_names() {
  return {"float32", "float16", "bfloat16", "int8"};
}
inline Field dtype() {
  return {"dtype",
          "Number format that estimates count bytes in; running is in float32.",
          std::string_view("float32"),
          0,
          0,
          dtype_names()};
}

}  // namespace attnscope::fields
