// Steps of training whose peak PyTorch's MemTracker measures: every layer that learns, of such sizes that tensors and
// not single numbers decide, and blocks that are run again for their gradients.

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */

const SIZES = {
  batch_size: 4,
  seq_len: 32,
  input_size: 64,
  hidden_size: 64,
  num_heads: 4,
  num_layers: 3,
  intermediate_size: 256,
  vocab_size: 100,
  max_positions: 64,
  attn_dim: 16,
  head_dim: 16,
  encoder: 'transformer', // where there may be none
  dropout: 0
};

// Scores of a projected key and a query that needs no gradient: PyTorch does not keep the key.
const UNKEPT_FACTOR = { score: 'general', batch_size: 100, seq_len: 7, kv_len: 63, hidden_size: 8 };

// A recurrent layer inside of another, whose last state nothing takes.
const ENCODED = { layer: 'sequence_classifier', encoder: 'lstm', num_layers: 2, pooling: 'additive', dropout: 0 };
const RECURRENT = [
  { ...ENCODED, batch_size: 64, seq_len: 32, input_size: 16, hidden_size: 16, bidirectional: true },
  { ...ENCODED, batch_size: 4, seq_len: 32, input_size: 64, hidden_size: 64, pooling: 'last' }
];

/** @param {Attnscope} scope */
export function peaks(scope) {
  const layers = scope.layers().map(({ name, fields }) => {
    const sizes = Object.entries(SIZES).filter(([size]) => fields.some((field) => field.name === size));
    return { layer: name, ...Object.fromEntries(sizes) };
  });
  return [...layers, { layer: 'luong_attention', ...UNKEPT_FACTOR }, ...RECURRENT].flatMap((sizes) => {
    const config = /** @type {any} */ (sizes);
    const { parameters, steps } = scope.estimate(config);
    if (parameters === 0) return [];
    const checkpointing = steps.some(({ places }) => places > 1) ? [false, true] : [false]; // blocks that repeat
    return checkpointing.map((again) => ({
      config,
      checkpointing: again,
      pytorch: scope.pytorch(config, { self_check: false }),
      estimate: scope.estimate(config, {
        steps: false,
        training: { loss: 'mse_loss', optimizer: 'adam', checkpointing: again }
      })
    }));
  });
}
