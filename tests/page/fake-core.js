// Runs in the browser, around the real core: adds layers that have what no layer of the registry need have today, so that the page
// is tested for everything that a layer may bring. Their figures are invented, and easy to follow.

const LARGEST = 2 ** 31 - 1;

/** @param {string} name @param {number} preset @param {object} [more] */
const integer = (name, preset, more) => ({ name, type: 'integer', default: preset, min: 1, max: LARGEST, meaning: `Integer, ${preset} by default.`, ...more });
/** @param {string} name @param {number} preset @param {number} min @param {number} max */
const number = (name, preset, min, max) => ({ name, type: 'number', default: preset, min, max, meaning: `A number of the fake layer, ${preset} by default.` });
/** @param {string} name @param {object} [more] */
const optional = (name, more) => ({ name, type: 'integer', default: null, optional: true, min: 1, max: LARGEST, meaning: `Left empty, the fake layer finds ${name} itself.`, ...more });
/** @param {string} name @param {string[]} choices */
const choice = (name, choices) => ({ name, type: 'choice', default: choices[0], choices, meaning: `One of ${choices.length}.` });
/** @param {string} name */
const boolean = (name, preset = false) => ({ name, type: 'boolean', default: preset, meaning: 'Yes or no.' });

const dtype = choice('dtype', ['float32', 'float16', 'bfloat16', 'int8']);
const sequence = [integer('batch_size', 2), integer('seq_len', 8)];

/**
 * Each with the shapes that it needs and gives; `repeat` of its steps.
 * @type {any[]}
 */
const layers = [
  {
    name: 'fake_pooling', title: 'Fake pooling', group: 'pooling', summary: 'The fake average: no weights, no mask, nothing learned.',
    fields: [...sequence, integer('hidden_size', 16), dtype],
    inputs: (/** @type {any} */ c) => [{ name: 'hidden_states', shape: [c.batch_size, c.seq_len, c.hidden_size], optional: false }],
    output: (/** @type {any} */ c) => [c.batch_size, c.hidden_size],
  },
  {
    name: 'fake_lookup', title: 'Fake lookup', group: 'attention', summary: 'Weights of batch, query and key, without heads.',
    fields: [...sequence, integer('kv_len', 6), integer('hidden_size', 16), dtype],
    inputs: (/** @type {any} */ c) => [{ name: 'query', shape: [c.batch_size, c.seq_len, c.hidden_size], optional: false },
      { name: 'mask', shape: [c.batch_size, c.seq_len, c.kv_len], optional: true }],
    output: (/** @type {any} */ c) => [c.batch_size, c.seq_len, c.hidden_size],
    weights: (/** @type {any} */ c) => [c.batch_size, c.seq_len, c.kv_len],
  },
  {
    name: 'fake_decoder', title: 'Fake decoder', group: 'transformer', summary: 'Takes token ids, repeats its block, keeps keys and values.',
    fields: [
      ...sequence, integer('past_len', 0, { min: 0 }), integer('vocab_size', 100), integer('max_positions', 64), integer('hidden_size', 16),
      integer('num_layers', 12), integer('num_heads', 4), optional('num_kv_heads'), optional('head_dim'), integer('intermediate_size', 64),
      boolean('gated'), choice('activation', ['relu', 'gelu', 'gelu_tanh', 'silu']), choice('norm', ['layer_norm', 'rms_norm']), number('norm_eps', 1e-5, 0, 1),
      boolean('post_norms'), choice('position', ['none', 'learned', 'sinusoidal', 'rope', 'alibi', 'relative']), number('rope_theta', 10000, 1, 1e9),
      boolean('qk_norm'), boolean('bias', true), boolean('output_bias', true), boolean('mlp_bias', true), optional('window'), optional('full_every'),
      optional('scale', { type: 'number', min: 1e-6, max: 1e6 }), boolean('tie_embeddings', true), dtype,
    ],
    repeat: (/** @type {any} */ c) => c.num_layers,
    inputs: (/** @type {any} */ c) => [{ name: 'input_ids', shape: [c.batch_size, c.seq_len], optional: false, integer: true, limit: c.vocab_size },
      { name: 'mask', shape: [c.batch_size, c.num_heads, c.seq_len, c.past_len + c.seq_len], optional: true }],
    output: (/** @type {any} */ c) => [c.batch_size, c.seq_len, c.vocab_size],
    weights: (/** @type {any} */ c) => [c.batch_size, c.num_heads, c.seq_len, c.past_len + c.seq_len],
    kvCache: (/** @type {any} */ c) => c.num_layers * c.hidden_size * 8,
  },
];

/** The real core with the fake layers behind its own. @param {any} core */
export function withFakes(core) {
  const { layers: list, estimate, pytorch, runBytes, create } = core;
  const fake = (/** @type {any} */ config) => layers.find(({ name }) => name === config.layer);
  const real = JSON.parse(list());
  const merged = [...real, ...layers.map((layer) => ({ ...layer, inputs: layer.inputs(complete(layer, {})) }))];
  const order = ['scorers', 'pooling', 'attention', 'transformer'];
  core.layers = () => JSON.stringify(merged.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group)));
  core.estimate = (/** @type {any} */ config) => (fake(config) ? JSON.stringify(fakeEstimate(fake(config), config)) : estimate(config));
  core.pytorch = (/** @type {any} */ config, /** @type {any} */ options) => (fake(config) ? 'class Fake(nn.Module):\n    pass\n' : pytorch(config, options));
  core.runBytes = (/** @type {any} */ config) => (fake(config) ? 1000 : runBytes(config));
  core.create = (/** @type {any} */ config, /** @type {any} */ options) => (fake(config) ? fakeModel(fake(config), config) : create(config, options));
  return core;
}

/** @param {any} layer @param {any} config */
const complete = (layer, config) => Object.fromEntries([['layer', layer.name],
  ...layer.fields.map((/** @type {any} */ { name, default: preset }) => [name, config[name] ?? preset])]);

/** @param {any} field @param {any} value */
function rule({ type, optional: free, min, max, choices }, value) {
  if (value === null && free) return '';
  if (type === 'boolean') return typeof value === 'boolean' ? '' : 'true or false';
  if (type === 'choice') return choices.includes(value) ? '' : `one of ${choices.join(', ')}`;
  const fits = typeof value === 'number' && value >= min && value <= max && (type === 'number' || Number.isInteger(value));
  return fits ? '' : `${type === 'integer' ? 'an integer' : 'a number'} from ${min} to ${max}`;
}

/** @param {any} layer @param {any} config */
function checked(layer, config) {
  const whole = complete(layer, config);
  for (const field of layer.fields) {
    const wrong = rule(field, whole[field.name]);
    if (wrong) throw Object.assign(new RangeError(`${field.name} must be ${wrong}, got ${JSON.stringify(whole[field.name])}`), { field: field.name });
  }
  return whole;
}

const product = (/** @type {number[]} */ shape) => shape.reduce((count, length) => count * length, 1);

/** @param {any} layer @param {any} given */
function fakeEstimate(layer, given) {
  const config = checked(layer, given);
  const repeat = layer.repeat?.(config) ?? 1;
  const shape = [config.batch_size, config.seq_len, config.hidden_size];
  const step = (/** @type {string} */ name, /** @type {object} */ more) => ({
    name, op: 'linear', part: 'project', inputs: [], output: name, shape, parameters: 0, macs: 0, elementwise: 10, bytes_moved: 100, saved_bytes: 0, repeat: 1,
    pytorch: `self.${name}(hidden_states)`, ...more,
  });
  const steps = [
    step('project', { parameters: config.hidden_size * (config.hidden_size + 1), macs: product(shape) * config.hidden_size, saved_bytes: 1000, repeat }),
    step('normalize', { op: 'softmax', part: 'normalize', saved_bytes: 50, repeat }),
    step('output', { op: 'combine', part: 'combine', shape: layer.output(config) }),
  ];
  const sum = (/** @type {string} */ key) => steps.reduce((total, /** @type {any} */ one) => total + one[key] * one.repeat, 0);
  const parameters = sum('parameters');
  const perToken = layer.kvCache?.(config);
  const positions = (config.past_len ?? 0) + config.seq_len;
  return {
    layer: layer.name, config, parameters, macs: sum('macs'), flops: 2 * sum('macs'), elementwise: sum('elementwise'), bytes_moved: sum('bytes_moved'),
    inputs: layer.inputs(config), output_shape: layer.output(config), shapes: {}, steps,
    parts: { project: { parameters, macs: sum('macs') }, normalize: { parameters: 0, macs: 0 }, combine: { parameters: 0, macs: 0 } },
    memory: { parameters: 4 * parameters, inputs: 4096, output: 4 * product(layer.output(config)), activations_peak: 8192, inference_total: 4 * parameters + 12288,
      saved_for_backward: sum('saved_bytes'), gradients: 4 * parameters, optimizer: 8 * parameters, training_total: 16 * parameters + sum('saved_bytes') + 8192 },
    timeline: steps.map(({ output }, index) => ({ tensor: output, bytes: 4096, born: index, freed: Math.min(index + 1, steps.length - 1) })),
    kv_cache: perToken ? { bytes_per_token: perToken, bytes_per_sequence: perToken * positions, bytes: perToken * positions * config.batch_size } : null,
  };
}

/**
 * Gives the token ids, or the first input's numbers, over and over as its output. The weights of a row fall off from its own
 * position, faster in each later head; masked ones are 0.
 * @param {any} layer @param {any} given
 */
function fakeModel(layer, given) {
  const config = checked(layer, given);
  const [main] = layer.inputs(config);
  return {
    forward(/** @type {any} */ inputs) {
      const { data, shape } = inputs[main.name];
      if (String(shape) !== String(main.shape)) throw new RangeError(`${main.name} must have shape [${main.shape}], got [${shape}]`);
      if (main.integer && !(data instanceof Int32Array)) throw new RangeError(`${main.name} must be an Int32Array`);
      if (main.integer && data.some((/** @type {number} */ id) => id < 0 || id >= main.limit)) throw new RangeError(`${main.name} must be below ${main.limit}`);
      const output = { data: Float32Array.from({ length: product(layer.output(config)) }, (_, at) => data[at % data.length]), shape: layer.output(config) };
      return { output, ...(layer.weights && { weights: fakeWeights(layer.weights(config), inputs.mask) }) };
    },
    stateDict: () => ({}),
    delete() {},
  };
}

/** @param {number[]} shape @param {{ data: Uint8Array, shape: number[] } | undefined} mask */
function fakeWeights(shape, mask) {
  const [rows, columns] = shape.slice(-2);
  if (mask && String(mask.shape) !== String([rows, columns])) throw new RangeError(`mask must have shape [${rows}, ${columns}], got [${mask.shape}]`);
  const data = new Float32Array(product(shape));
  for (let row = 0; row < data.length / columns; row += 1) {
    const head = Math.floor(row / rows) % (shape.at(-3) ?? 1);
    const values = Array.from({ length: columns }, (_, column) => {
      const open = !mask || mask.data[(row % rows) * columns + column];
      return open ? Math.exp(-Math.abs(column - (row % rows)) * (head + 1) * 0.25) : 0;
    });
    const total = values.reduce((sum, value) => sum + value, 0) || 1;
    data.set(values.map((value) => value / total), row * columns);
  }
  return { data, shape };
}
