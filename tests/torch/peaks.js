// Steps of training whose peak PyTorch's MemTracker measures: every layer that learns, of such sizes that tensors and
// not single numbers decide, and blocks that are run again for their gradients.

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */

const SIZES = {
  batch_size: 4,
  seq_len: 32,
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

/** @param {Attnscope} scope */
export function peaks(scope) {
  return scope.layers().flatMap(({ name, fields }) => {
    const sizes = Object.entries(SIZES).filter(([size]) => fields.some((field) => field.name === size));
    const config = /** @type {any} */ ({ layer: name, ...Object.fromEntries(sizes) });
    if (scope.estimate(config).parameters === 0) return [];
    const checkpointing = 'num_layers' in config ? [false, true] : [false];
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
