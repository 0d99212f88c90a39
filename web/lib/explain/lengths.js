// The config whose batch and lengths are those of some inputs, as the core runs them.

/** @typedef {import('../types.js').Input} Input */

/**
 * What is no tensor of the input's rank is left out: forward() refuses it.
 * @param {Record<string, any>} config @param {readonly Input[]} inputs @param {any} given
 * @returns {Record<string, any>} `config` itself where nothing differs
 */
export function withLengths(config, inputs, given) {
  /** @type {Record<string, number>} */
  const lengths = {};
  for (const { name, axes, optional, cached } of inputs) {
    const shape = given?.[name]?.shape ?? given?.[name]?.dims;
    if (optional || cached || !Array.isArray(shape) || shape.length !== axes.length) continue;
    axes.forEach((axis, dimension) => {
      const field = fieldOf(axis, config);
      if (field && Number.isInteger(shape[dimension])) lengths[field] ??= shape[dimension]; // the first decides
    });
  }
  const differs = Object.entries(lengths).some(([field, length]) => config[field] !== length);
  return differs ? { ...config, ...lengths } : config;
}

/** @param {string} axis @param {object} config */
function fieldOf(axis, config) {
  const field = { batch: 'batch_size', position: 'seq_len', query: 'seq_len', key: 'kv_len' }[axis];
  if (field === 'kv_len' && !(field in config)) return 'seq_len';
  return field && field in config ? field : undefined;
}
