// What the tests of decoding share: small layers with a KV cache, and parts of their inputs.

import { randomInputs } from './support.js';

export const LENGTH = 10;
export const grouped = {
  layer: 'grouped_query_attention',
  batch_size: 2,
  seq_len: LENGTH,
  hidden_size: 12,
  num_heads: 6,
  num_kv_heads: 2,
  head_dim: 4
};
export const latent = {
  layer: 'latent_attention',
  batch_size: 2,
  seq_len: LENGTH,
  hidden_size: 8,
  num_heads: 3,
  kv_lora_rank: 5,
  qk_nope_head_dim: 3,
  qk_rope_head_dim: 4,
  v_head_dim: 7
};
export const decoder = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: LENGTH,
  vocab_size: 17,
  max_positions: 16,
  hidden_size: 8,
  num_layers: 3,
  num_heads: 4,
  num_kv_heads: 2,
  intermediate_size: 12
};

/** Positions [begin, end) of the first input of a config. */
export function part({ data, shape: [B, T, ...rest] }, begin, end) {
  const row = rest.reduce((count, size) => count * size, 1);
  const chunks = Array.from({ length: B }, (_, b) => [...data.subarray((b * T + begin) * row, (b * T + end) * row)]);
  return { data: data.constructor.from(chunks.flat()), shape: [B, end - begin, ...rest] };
}

/** The only input that a step must be given, with its name. */
export const inputOf = (config) => Object.entries(randomInputs(config))[0];
