// The rules between fields, as a user meets them: what breaks one, whom the message blames, and what
// would keep it. Tests make configs by them, and hold the core's refusals against them.

/** @typedef {Record<string, any>} Full a config with every field */

/**
 * @typedef {object} Rule
 * @property {string} field that is blamed
 * @property {(config: Full) => boolean} broken
 * @property {(config: Full) => string} message
 * @property {(config: Full) => object[]} mend changes of which each one keeps the rule
 */

const LARGEST = 2 ** 31 - 1;

/** The greatest. @type {(a: number, b: number) => number} */
const commonDivisor = (a, b) => (b === 0 ? a : commonDivisor(b, a % b));

const given = (value) => value !== undefined && value !== null;
const positions = ({ past_len = 0, seq_len }) => past_len + seq_len;
const offset = ({ position_offset = 0 }) => position_offset;
const allOffset = (config) => offset(config) > 0 && offset(config) >= config.max_positions;
const headDim = ({ head_dim, hidden_size, num_heads }) => head_dim ?? hidden_size / num_heads;

/** Whether queries and keys are to be normed after a rotation that there is not. */
const normsWithoutRope = ({ qk_norm_after, position }) => qk_norm_after === 'rotation' && position !== 'rope';

/** The cells of recurrent layers, and so a classifier's recurrent encoders. */
const CELLS = ['lstm', 'gru', 'rnn_tanh', 'rnn_relu'];
const directions = ({ bidirectional }) => (bidirectional ? 2 : 1);

/** The width that is cut into heads; none where that of a head is given, or is that of a latent. */
function cutWidth({ num_heads, head_dim, kv_lora_rank, encoder, pooling, hidden_size }) {
  if (!given(num_heads) || given(head_dim) || given(kv_lora_rank)) return null;
  if (encoder === undefined || encoder === 'transformer') return given(hidden_size) ? 'hidden_size' : null;
  if (pooling !== 'multihead') return null;
  return encoder === 'none' ? 'input_size' : 'hidden_size';
}

/** Without kv_len, keys and values are the hidden states themselves. @type {(field: string) => Rule} */
const needsKvLen = (field) => ({
  field,
  broken: (c) =>
    c.layer === 'multihead_attention' && c.kv_len === null && given(c[field]) && c[field] !== c.hidden_size,
  message: (c) =>
    `${field} needs kv_len: without it keys and values are the hidden states of hidden_size (${c.hidden_size}), got ${c[field]}`,
  mend: (c) => [{ kv_len: c.seq_len }, { [field]: null }]
});

/** @type {(field: string) => Rule} */
const onlyPacked = (field) => ({
  field,
  broken: (c) => c.projections === 'separate' && c[field],
  message: () => `${field} must be false where projections is separate: only nn.MultiheadAttention has it, got true`,
  mend: () => [{ projections: 'packed' }, { [field]: false }]
});

/** @type {Rule[]} */
export const rules = [
  {
    field: 'num_heads',
    broken: (c) => cutWidth(c) !== null && (directions(c) * c[cutWidth(c)]) % c.num_heads !== 0,
    message: (c) =>
      `num_heads must divide ${c.bidirectional ? 'twice ' : ''}${cutWidth(c)} (${directions(c) * c[cutWidth(c)]}), got ${c.num_heads}`,
    mend: (c) => [
      { [cutWidth(c)]: c.num_heads * Math.max(1, Math.floor(c[cutWidth(c)] / c.num_heads)) },
      { num_heads: 1 }
    ]
  },
  {
    field: 'bidirectional',
    broken: (c) => given(c.encoder) && !CELLS.includes(c.encoder) && c.bidirectional,
    message: (c) => `bidirectional must be false where encoder is ${c.encoder}, got true`,
    mend: () => [{ encoder: 'lstm', norm_first: false }, { bidirectional: false }]
  },
  {
    field: 'num_layers',
    broken: (c) => CELLS.includes(c.encoder) && c.num_layers > 64,
    message: (c) => `num_layers must be at most 64 where encoder is ${c.encoder}, got ${c.num_layers}`,
    mend: () => [{ num_layers: 64 }, { encoder: 'none', bidirectional: false }]
  },
  {
    field: 'activation',
    broken: (c) => c.encoder === 'transformer' && !['relu', 'gelu'].includes(c.activation),
    message: (c) => `activation must be relu or gelu where encoder is transformer, got ${c.activation}`,
    mend: () => [{ activation: 'relu' }, { encoder: 'none' }]
  },
  {
    field: 'norm_first',
    broken: (c) => given(c.encoder) && c.encoder !== 'transformer' && c.norm_first,
    message: () => 'norm_first must be false where encoder is not transformer, got true',
    mend: () => [{ encoder: 'transformer', bidirectional: false }, { norm_first: false }]
  },
  {
    field: 'dropout',
    broken: (c) => c.layer === 'recurrent_encoder' && c.num_layers === 1 && c.dropout > 0,
    message: (c) => `dropout must be 0 where num_layers is 1, got ${c.dropout}: it is between layers`,
    mend: () => [{ num_layers: 2 }, { dropout: 0 }]
  },
  {
    field: 'proj_size',
    broken: (c) => given(c.proj_size) && c.cell !== 'lstm',
    message: (c) => `proj_size must be null where cell is not lstm, got ${c.proj_size}`,
    mend: () => [{ cell: 'lstm' }, { proj_size: null }]
  },
  {
    field: 'proj_size',
    broken: (c) => given(c.proj_size) && c.cell === 'lstm' && c.proj_size >= c.hidden_size,
    message: (c) => `proj_size must be less than hidden_size (${c.hidden_size}), got ${c.proj_size}`,
    mend: (c) => [...(c.proj_size < LARGEST ? [{ hidden_size: c.proj_size + 1 }] : []), { proj_size: null }]
  },
  {
    field: 'padding_idx',
    broken: (c) => c.input === 'features' && given(c.padding_idx),
    message: (c) => `padding_idx must be null where input is features, got ${c.padding_idx}`,
    mend: () => [{ input: 'tokens' }, { padding_idx: null }]
  },
  {
    field: 'num_kv_heads',
    broken: (c) => given(c.num_kv_heads) && c.num_heads % c.num_kv_heads !== 0,
    message: (c) => `num_kv_heads must divide num_heads (${c.num_heads}), got ${c.num_kv_heads}`,
    mend: (c) => [{ num_kv_heads: commonDivisor(c.num_heads, c.num_kv_heads) }, { num_heads: c.num_kv_heads }]
  },
  {
    field: 'head_dim',
    broken: (c) => c.position === 'rope' && !given(c.rotary_dim) && headDim(c) % 2 === 1,
    message: (c) => `head_dim must be even where position is rope, got ${headDim(c)}`,
    mend: (c) => [{ head_dim: Math.max(2, headDim(c) - 1) }, { position: 'none' }]
  },
  {
    field: 'rotary_dim',
    broken: (c) => given(c.rotary_dim) && c.position !== 'rope',
    message: (c) => `rotary_dim needs position rope, got ${c.rotary_dim} with position ${c.position}`,
    mend: () => [{ position: 'rope' }, { rotary_dim: null }]
  },
  {
    field: 'rotary_dim',
    broken: (c) => c.position === 'rope' && given(c.rotary_dim) && c.rotary_dim > headDim(c),
    message: (c) => `rotary_dim must be at most head_dim (${headDim(c)}), got ${c.rotary_dim}`,
    mend: (c) => [{ head_dim: c.rotary_dim }, { rotary_dim: null }]
  },
  {
    field: 'rotary_dim',
    broken: (c) => c.position === 'rope' && given(c.rotary_dim) && c.rotary_dim % 2 === 1,
    message: (c) => `rotary_dim must be even where position is rope, got ${c.rotary_dim}`,
    mend: () => [{ rotary_dim: null, head_dim: 2 }]
  },
  {
    field: 'rope_interleave',
    broken: (c) => c.position !== undefined && c.position !== 'rope' && c.rope_interleave === true,
    message: (c) => `rope_interleave needs position rope, got true with position ${c.position}`,
    mend: () => [{ position: 'rope' }, { rope_interleave: false }]
  },
  {
    field: 'padding_idx',
    broken: (c) => c.input !== 'features' && given(c.padding_idx) && c.padding_idx >= c.vocab_size,
    message: (c) => `padding_idx must be less than vocab_size (${c.vocab_size}), got ${c.padding_idx}`,
    mend: (c) => [{ padding_idx: c.vocab_size - 1 }, { padding_idx: null }]
  },
  {
    field: 'qk_rope_head_dim',
    broken: (c) => given(c.qk_rope_head_dim) && c.qk_rope_head_dim % 2 === 1,
    message: (c) => `qk_rope_head_dim must be even, got ${c.qk_rope_head_dim}`,
    mend: (c) => [{ qk_rope_head_dim: Math.max(2, c.qk_rope_head_dim - 1) }]
  },
  {
    field: 'kdim',
    broken: (c) => c.score === 'dot' && given(c.kdim) && c.kdim !== c.hidden_size,
    message: (c) => `kdim must be hidden_size (${c.hidden_size}) where score is dot, got ${c.kdim}`,
    mend: () => [{ score: 'general' }, { kdim: null }]
  },
  needsKvLen('kdim'),
  needsKvLen('vdim'),
  onlyPacked('add_bias_kv'),
  onlyPacked('add_zero_attn'),
  {
    field: 'position_offset',
    broken: (c) => c.position === 'learned' && allOffset(c),
    message: (c) =>
      `position_offset must be less than max_positions (${c.max_positions}) where position is learned, got ${offset(c)}`,
    mend: (c) => [{ max_positions: offset(c) + 1 }, { position: 'none' }]
  },
  {
    field: 'seq_len',
    broken: (c) => c.position === 'learned' && !allOffset(c) && positions(c) + offset(c) > c.max_positions,
    message: (c) =>
      `${given(c.past_len) ? 'past_len + ' : ''}seq_len must be at most max_positions ${
        offset(c) > 0 ? `- position_offset (${c.max_positions - offset(c)})` : `(${c.max_positions})`
      } where position is learned, got ${positions(c)}`,
    mend: (c) => [
      ...(positions(c) + offset(c) <= LARGEST ? [{ max_positions: positions(c) + offset(c) }] : []),
      { position: 'none' }
    ]
  },
  {
    field: 'full_every',
    broken: (c) => given(c.full_every) && c.window === null,
    message: (c) => `full_every needs a window, got ${c.full_every} without one`,
    mend: () => [{ window: 2 }, { full_every: null }]
  },
  {
    field: 'nope_every',
    broken: (c) => given(c.nope_every) && c.position !== 'rope',
    message: (c) => `nope_every needs position rope, got ${c.nope_every} with position ${c.position}`,
    mend: () => [{ position: 'rope' }, { nope_every: null }]
  },
  {
    field: 'qk_norm_after',
    broken: (c) => normsWithoutRope(c),
    message: (c) => `qk_norm_after needs position rope, got rotation with position ${c.position}`,
    mend: () => [{ position: 'rope' }, { qk_norm_after: 'split' }]
  },
  {
    field: 'qk_norm_after',
    broken: (c) => given(c.qk_norm_after) && c.qk_norm_after !== 'split' && !c.qk_norm && !normsWithoutRope(c),
    message: (c) => `qk_norm_after needs qk_norm, got ${c.qk_norm_after} without it`,
    mend: () => [{ qk_norm: true }, { qk_norm_after: 'split' }]
  },
  {
    field: 'rope_local_base_freq',
    broken: (c) => given(c.rope_local_base_freq) && c.window === null,
    message: (c) => `rope_local_base_freq needs a window, got ${c.rope_local_base_freq} without one`,
    mend: () => [{ window: 2 }, { rope_local_base_freq: null }]
  }
];

/**
 * The config with its defaults filled in.
 * @param {import('../../web/lib/index.js').Layer} layer
 * @returns {Full}
 */
export function complete(layer, config) {
  const full = { layer: layer.name };
  for (const { name, default: fallback } of layer.fields)
    full[name] = config[name] === undefined ? fallback : config[name];
  return full;
}

/** @returns {Rule[]} */
export function brokenRules(layer, config) {
  const full = complete(layer, config);
  return rules.filter(({ broken }) => broken(full));
}

/** The config with what the rules ask for, but `keep` as it is: then a rule may still be broken. */
export function mended(layer, config, keep = '') {
  for (const { mend } of brokenRules(layer, config)) {
    const change = mend(complete(layer, config)).find((one) => !(keep in one));
    if (change) return mended(layer, { ...config, ...change }, keep);
  }
  return config;
}
