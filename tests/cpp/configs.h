#pragma once

// Configs that together have every operation, and every layer of the registry.

#include <vector>

#include "support.h"

namespace attnscope::testing {

/// Every layer of the registry with its defaults, and what a default leaves out.
inline std::vector<Config> small_configs() {
  std::vector<Config> configs = {
      config("linear_scorer",
             {{"batch_size", raw(1)}, {"seq_len", raw(1)}, {"hidden_size", raw(1)}}),
      config("linear_scorer", {{"batch_size", raw(3)},
                               {"seq_len", raw(17)},
                               {"hidden_size", raw(33)},
                               {"bias", raw(false)}}),
      config("linear_scorer", {{"batch_size", raw(2)},
                               {"seq_len", raw(9)},
                               {"hidden_size", raw(5)},
                               {"output", raw("scores")}}),
      config("additive_scorer", {{"batch_size", raw(3)},
                                 {"seq_len", raw(17)},
                                 {"hidden_size", raw(33)},
                                 {"attn_dim", raw(7)}}),
      config("additive_scorer", {{"batch_size", raw(2)},
                                 {"seq_len", raw(77)},
                                 {"hidden_size", raw(13)},
                                 {"attn_dim", raw(10)}}),
      config("additive_scorer", {{"batch_size", raw(2)},
                                 {"seq_len", raw(5)},
                                 {"hidden_size", raw(3)},
                                 {"attn_dim", raw(1)},
                                 {"bias", raw(false)},
                                 {"output", raw("weights")}}),
      config("recurrent_encoder", {{"cell", raw("gru")},
                                   {"batch_size", raw(2)},
                                   {"seq_len", raw(5)},
                                   {"input_size", raw(3)},
                                   {"hidden_size", raw(4)},
                                   {"num_layers", raw(2)},
                                   {"bidirectional", raw(true)},
                                   {"dropout", raw(0.5)}}),
      config("recurrent_encoder", {{"cell", raw("rnn_relu")},
                                   {"batch_size", raw(2)},
                                   {"seq_len", raw(3)},
                                   {"input_size", raw(4)},
                                   {"hidden_size", raw(5)},
                                   {"bias", raw(false)},
                                   {"bidirectional", raw(true)}}),
      config("scaled_dot_product_attention", {{"batch_size", raw(2)},
                                              {"num_heads", raw(3)},
                                              {"seq_len", raw(5)},
                                              {"kv_len", raw(9)},
                                              {"head_dim", raw(7)}}),
      config("multihead_attention", {{"batch_size", raw(2)},
                                     {"seq_len", raw(17)},
                                     {"hidden_size", raw(12)},
                                     {"num_heads", raw(3)}}),
      config("multihead_attention", {{"batch_size", raw(2)},
                                     {"seq_len", raw(5)},
                                     {"kv_len", raw(9)},
                                     {"kdim", raw(7)},
                                     {"hidden_size", raw(12)},
                                     {"num_heads", raw(3)},
                                     {"is_causal", raw(true)},
                                     {"add_bias_kv", raw(true)},
                                     {"add_zero_attn", raw(true)},
                                     {"average_attn_weights", raw(true)}}),
      config("latent_attention", {{"batch_size", raw(2)},
                                  {"seq_len", raw(5)},
                                  {"past_len", raw(3)},
                                  {"hidden_size", raw(7)},
                                  {"num_heads", raw(3)},
                                  {"q_lora_rank", raw(5)}}),
      config("encoder", {{"batch_size", raw(2)},
                         {"seq_len", raw(9)},
                         {"vocab_size", raw(13)},
                         {"hidden_size", raw(12)},
                         {"num_layers", raw(3)},
                         {"intermediate_size", raw(7)},
                         {"position", raw("relative")}}),
      config("encoder", {{"batch_size", raw(2)},
                         {"seq_len", raw(9)},
                         {"vocab_size", raw(13)},
                         {"max_positions", raw(11)},
                         {"position_offset", raw(2)},
                         {"hidden_size", raw(12)},
                         {"num_layers", raw(1)},
                         {"intermediate_size", raw(7)}}),
      config("decoder", {{"batch_size", raw(2)},
                         {"seq_len", raw(5)},
                         {"past_len", raw(9)},
                         {"vocab_size", raw(13)},
                         {"hidden_size", raw(12)},
                         {"num_layers", raw(3)},
                         {"num_heads", raw(6)},
                         {"num_kv_heads", raw(2)},
                         {"intermediate_size", raw(7)},
                         {"window", raw(4)},
                         {"full_every", raw(2)},
                         {"qk_norm", raw(true)},
                         {"qk_norm_after", raw("projection")},
                         {"nope_every", raw(3)},
                         {"pre_norms", raw(false)},
                         {"post_norms", raw(true)},
                         {"tie_embeddings", raw(true)}}),
      config("decoder", {{"batch_size", raw(2)},
                         {"seq_len", raw(5)},
                         {"past_len", raw(9)},
                         {"vocab_size", raw(13)},
                         {"hidden_size", raw(12)},
                         {"num_layers", raw(3)},
                         {"num_heads", raw(6)},
                         {"num_kv_heads", raw(2)},
                         {"intermediate_size", raw(7)},
                         {"norm", raw("rms_norm_plus_one")},
                         {"post_norms", raw(true)},
                         {"window", raw(4)},
                         {"full_every", raw(2)},
                         {"rope_local_base_freq", raw(30)},
                         {"qk_norm", raw(true)},
                         {"attn_logit_softcapping", raw(0.5)},
                         {"final_logit_softcapping", raw(0.25)},
                         {"embedding_scale", raw(3)},
                         {"head_dim", raw(6)},
                         {"rotary_dim", raw(4)},
                         {"rope_interleave", raw(true)},
                         {"activation", raw("relu2")},
                         {"qk_norm_after", raw("rotation")},
                         {"nope_every", raw(2)},
                         {"residual_scale", raw(0.5)},
                         {"logit_scale", raw(0.25)}}),
      config("transformer_decoder_layer", {{"batch_size", raw(2)},
                                           {"seq_len", raw(5)},
                                           {"hidden_size", raw(12)},
                                           {"num_heads", raw(3)},
                                           {"intermediate_size", raw(7)}}),
      // products in several parts of rows and of columns
      config("transformer_encoder_layer", {{"batch_size", raw(3)},
                                           {"seq_len", raw(50)},
                                           {"hidden_size", raw(64)},
                                           {"num_heads", raw(4)},
                                           {"intermediate_size", raw(1100)},
                                           {"dropout", raw(0.1)}}),
  };
  const std::vector<std::pair<const char*, const char*>> classifiers[] = {
      {{"pooling", "last"}, {"encoder", "transformer"}, {"position", "learned"}},
      {{"pooling", "mean"}, {"encoder", "dense"}, {"activation", "none"}},
      {{"pooling", "max"}, {"encoder", "transformer"}, {"activation", "gelu"}},
      {{"pooling", "additive"}, {"position", "sinusoidal"}},
      {{"pooling", "gated"}, {"encoder", "dense"}},
      {{"pooling", "timestep"}},
      {{"pooling", "timestep"}, {"score_activation", "scaled_tanh"}},
      {{"pooling", "timestep"}, {"score_by", "position"}, {"score_activation", "none"}},
      {{"pooling", "multihead"}, {"position", "learned"}},
      {{"pooling", "multihead"}, {"encoder", "transformer"}},
      {{"pooling", "flatten"}, {"input", "tokens"}, {"activation", "tanh"}}};
  for (const auto& choices : classifiers) {
    RawConfig fields{
        {"batch_size", raw(3)}, {"seq_len", raw(5)},     {"input_size", raw(6)},
        {"vocab_size", raw(7)}, {"hidden_size", raw(8)}, {"attn_dim", raw(3)},
        {"head_size", raw(4)},  {"num_layers", raw(2)},  {"intermediate_size", raw(9)}};
    for (const auto& [name, choice] : choices) fields.emplace_back(name, raw(choice));
    configs.push_back(config("sequence_classifier", fields));
  }
  for (const Layer* layer : layers()) {
    RawConfig fields{{"layer", {std::string(layer->name)}}};
    for (const Field& field : layer->fields) {
      if (field.name == "batch_size" || field.name == "seq_len") {
        fields.emplace_back(field.name, raw(2));
      }
    }
    configs.push_back(resolve(fields));
  }
  return configs;
}

}  // namespace attnscope::testing
